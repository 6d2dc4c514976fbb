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

/// Signs tokens with the key of a certificate that clients know.
#[derive(Debug, Clone)]
pub struct JwtSigner {
    key: Arc<SigningKey>,
    key_id: Fingerprint,
    algorithm: &'static str,
    /// The encoded header of every token.
    header: String,
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    kid: String,
    typ: &'a str,
}

impl JwtSigner {
    /// Creates a signer for the key of `certificate`: for enrollment tokens, the TLS server
    /// certificate at the advertised address, because clients verify tokens with it.
    ///
    /// # Errors
    ///
    /// [`JwtError::KeyMismatch`] if they do not belong together, [`JwtError::UnsupportedKey`].
    pub fn new(key: Arc<SigningKey>, certificate: &Certificate) -> Result<Self, JwtError> {
        if certificate.public_key()? != *key.public_key() {
            return Err(JwtError::KeyMismatch);
        }
        let key_id = certificate.fingerprint();
        let algorithm = algorithm::signing_algorithm(key.public_key().kind())
            .ok_or(JwtError::UnsupportedKey)?;
        let header = encode(&Header {
            alg: algorithm.name,
            kid: key_id.to_string(),
            typ: "JWT",
        })?;
        Ok(Self {
            key,
            key_id,
            algorithm: algorithm.name,
            header,
        })
    }

    /// The fingerprint of the certificate, which is the `kid` of the tokens.
    pub fn key_id(&self) -> Fingerprint {
        self.key_id
    }

    /// The signature algorithm (`alg`).
    pub fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    pub fn public_key(&self) -> &PublicKey {
        self.key.public_key()
    }

    /// Signs `claims` and returns the token in compact form.
    ///
    /// # Errors
    ///
    /// [`JwtError::Claims`] if they are not a JSON object, [`JwtError::Crypto`].
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
