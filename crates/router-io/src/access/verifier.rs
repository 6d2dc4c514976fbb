//! Signatures of tokens.

use portcullis_pki::{Certificate, PublicKey, jwt};
use portcullis_router::access::TokenVerifier;
use portcullis_wire::control::data_model::{self, KeyFormat};
use serde_json::Value;

/// Verifies tokens with the keys of the network.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verifier;

impl TokenVerifier for Verifier {
    fn key_id(&self, token: &str) -> Option<String> {
        jwt::key_id(token).ok()?
    }

    fn verify(&self, token: &str, key: &data_model::PublicKey) -> Option<Value> {
        jwt::verify(token, &public_key(key)?).ok()
    }
}

fn public_key(key: &data_model::PublicKey) -> Option<PublicKey> {
    match key.format {
        KeyFormat::X509Certificate => {
            let certificate = Certificate::from_der(key.data.to_vec()).ok()?;
            certificate.public_key().ok()
        },
        KeyFormat::PkixPublicKey => PublicKey::from_der(&key.data).ok(),
        KeyFormat::Unrecognized(_) => None,
    }
}
