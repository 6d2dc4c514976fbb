//! Signing tokens.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;

use super::{JwtError, algorithm};
use crate::{
    certificate::Certificate,
    fingerprint::Fingerprint,
    key::{PublicKey, SigningKey},
};

/// Signs tokens with the key of a certificate that clients can see.
#[derive(Debug, Clone)]
pub struct JwtSigner {
    key: Arc<SigningKey>,
    key_id: Fingerprint,
    /// The first part of every token, encoded.
    header: String,
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    kid: String,
    typ: &'a str,
}

impl JwtSigner {
    /// Takes the key of `certificate`: for enrollment tokens the one that TLS shows at the
    /// advertised address, since clients verify with what they see there.
    ///
    /// # Errors
    ///
    /// [`JwtError::OtherKey`] when they do not belong together, [`JwtError::UnsupportedKey`].
    pub fn new(key: Arc<SigningKey>, certificate: &Certificate) -> Result<Self, JwtError> {
        if certificate.public_key()? != *key.public_key() {
            return Err(JwtError::OtherKey);
        }
        let key_id = certificate.fingerprint();
        let algorithm = algorithm::own(key.public_key().kind()).ok_or(JwtError::UnsupportedKey)?;
        let header = encode(&Header {
            alg: algorithm.name,
            kid: key_id.to_string(),
            typ: "JWT",
        })?;
        Ok(Self {
            key,
            key_id,
            header,
        })
    }

    /// The fingerprint of the certificate, which tokens name as their `kid`.
    pub fn key_id(&self) -> Fingerprint {
        self.key_id
    }

    /// The key that verifies the tokens.
    pub fn public_key(&self) -> &PublicKey {
        self.key.public_key()
    }

    /// Signs `claims` and writes the token in its compact form.
    ///
    /// # Errors
    ///
    /// [`JwtError::Claims`] when they are not a JSON object, [`JwtError::Crypto`].
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, JwtError> {
        let mut token = format!("{}.{}", self.header, encode(claims)?);
        let signature = self.key.sign_jws(token.as_bytes())?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        Ok(token)
    }
}

fn encode(part: &impl Serialize) -> Result<String, JwtError> {
    let json = serde_json::to_vec(part).or(Err(JwtError::Claims))?;
    if !json.starts_with(b"{") {
        return Err(JwtError::Claims);
    }
    Ok(URL_SAFE_NO_PAD.encode(json))
}
