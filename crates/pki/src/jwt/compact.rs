//! The compact form of tokens (RFC 7515 section 7.1).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use super::{JwtError, json};

/// The largest token that is read: 64 KiB.
const LARGEST: usize = 64 * 1024;

/// A token taken apart. Nothing in it is to be believed yet.
pub(crate) struct Compact<'a> {
    pub(crate) header: Header,
    /// What the signature is over.
    pub(crate) signed: &'a [u8],
    claims: &'a str,
    signature: &'a str,
}

/// What of a header is looked at.
pub(crate) struct Header {
    pub(crate) algorithm: String,
    pub(crate) key_id: Option<String>,
}

impl<'a> Compact<'a> {
    /// Finds the parts, and reads the first. What is too large is not looked at.
    pub(crate) fn read(token: &'a str) -> Result<Self, JwtError> {
        if token.len() > LARGEST {
            return Err(JwtError::TooLarge);
        }
        // The split ends at the fourth part, however many dots there are.
        let mut parts = token.splitn(4, '.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(JwtError::Malformed);
        };
        let signed = token
            .as_bytes()
            .get(..header.len() + 1 + claims.len())
            .ok_or(JwtError::Malformed)?;
        Ok(Self {
            header: Header::read(object(header)?)?,
            signed,
            claims,
            signature,
        })
    }

    pub(crate) fn claims(&self) -> Result<Map<String, Value>, JwtError> {
        object(self.claims)
    }

    pub(crate) fn signature(&self) -> Result<Vec<u8>, JwtError> {
        decode(self.signature)
    }
}

impl Header {
    fn read(mut members: Map<String, Value>) -> Result<Self, JwtError> {
        // No extension is understood, so it does not matter which are listed (RFC 7515 4.1.11).
        if members.contains_key("crit") {
            return Err(JwtError::CriticalExtension);
        }
        let Some(Value::String(algorithm)) = members.remove("alg") else {
            return Err(JwtError::Malformed);
        };
        let key_id = match members.remove("kid") {
            None => None,
            Some(Value::String(key_id)) => Some(key_id),
            Some(_) => return Err(JwtError::Malformed),
        };
        Ok(Self { algorithm, key_id })
    }
}

fn object(part: &str) -> Result<Map<String, Value>, JwtError> {
    json::object(&decode(part)?).ok_or(JwtError::Malformed)
}

/// Decodes strictly: the URL alphabet, no padding, no white space, no stray bits (RFC 7515 2).
fn decode(part: &str) -> Result<Vec<u8>, JwtError> {
    URL_SAFE_NO_PAD.decode(part).or(Err(JwtError::Malformed))
}
