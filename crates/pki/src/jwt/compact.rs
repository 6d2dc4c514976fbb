//! Compact serialization of tokens (RFC 7515 section 7.1).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use super::{JwtError, json};

/// Maximum size of a token: 64 KiB.
const MAX_BYTES: usize = 64 * 1024;

/// The parts of a token. Nothing in it is verified yet.
pub(crate) struct CompactToken<'a> {
    pub(crate) header: Header,
    /// The signed bytes.
    pub(crate) signed: &'a [u8],
    claims: &'a str,
    signature: &'a str,
}

/// The relevant members of a header.
pub(crate) struct Header {
    pub(crate) algorithm: String,
    pub(crate) key_id: Option<String>,
}

impl<'a> CompactToken<'a> {
    /// Splits a token and parses its header. Tokens that are too large are not parsed.
    pub(crate) fn parse(token: &'a str) -> Result<Self, JwtError> {
        if token.len() > MAX_BYTES {
            return Err(JwtError::TooLarge);
        }
        // The split stops at the fourth part, however many dots there are.
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
            header: Header::from_members(decode_object(header)?)?,
            signed,
            claims,
            signature,
        })
    }

    pub(crate) fn claims(&self) -> Result<Map<String, Value>, JwtError> {
        decode_object(self.claims)
    }

    pub(crate) fn signature(&self) -> Result<Vec<u8>, JwtError> {
        decode(self.signature)
    }
}

impl Header {
    fn from_members(mut members: Map<String, Value>) -> Result<Self, JwtError> {
        // No extension is supported, so it does not matter which are listed (RFC 7515 4.1.11).
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

fn decode_object(part: &str) -> Result<Map<String, Value>, JwtError> {
    json::parse_object(&decode(part)?).ok_or(JwtError::Malformed)
}

/// Decodes strictly: URL alphabet, no padding, no white space, no trailing bits (RFC 7515 2).
fn decode(part: &str) -> Result<Vec<u8>, JwtError> {
    URL_SAFE_NO_PAD.decode(part).or(Err(JwtError::Malformed))
}
