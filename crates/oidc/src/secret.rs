//! Random secrets that are recognized by their hash.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use secrecy::SecretString;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Generates a secret of 256 bits, in characters that fit everywhere.
pub(crate) fn generate(entropy: &dyn Entropy) -> Result<SecretString, EntropyError> {
    let bytes = entropy::bytes::<32>(entropy)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

/// SHA-256 of a secret. It needs no key: the secret cannot be guessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SecretHash([u8; 32]);

impl SecretHash {
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// Compares in constant time.
    pub(crate) fn is_of(&self, secret: &str) -> bool {
        Self::of(secret).0.ct_eq(&self.0).into()
    }
}

impl std::fmt::Debug for SecretHash {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SecretHash(..)")
    }
}
