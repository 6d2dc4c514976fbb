//! JSON Web Key Sets of signers (RFC 7517 section 5).

use serde_json::Value;

use super::{
    VerificationKey,
    jwk::{self, JwkError},
};
use crate::jwt;

/// Maximum size of a set: 1 MiB.
const MAX_BYTES: usize = 1024 * 1024;
/// Maximum number of keys in a set. Providers publish a handful.
const MAX_KEYS: usize = 128;

/// A whole key set was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    #[error("the key set is larger than 1 MiB")]
    TooLarge,
    /// The text is not a JSON object with a list of keys, or has duplicate members.
    #[error("not a JSON Web Key Set (JWKS)")]
    Malformed,
    #[error("the key set has more than {MAX_KEYS} keys")]
    TooManyKeys,
}

/// A key of a set that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedKey {
    /// The id of the key, if it has one.
    pub key_id: Option<String>,
    pub reason: JwkError,
}

/// The keys of a signer that can verify tokens.
#[derive(Debug, Default)]
pub struct KeySet {
    keys: Vec<(String, VerificationKey)>,
    rejected: Vec<RejectedKey>,
}

impl KeySet {
    /// Parses a set. Keys that cannot be used are [rejected](Self::rejected) one by one: providers
    /// publish keys for other purposes beside those for signing.
    ///
    /// # Errors
    ///
    /// [`KeySetError`] if the set as a whole is invalid.
    pub fn parse(text: &[u8]) -> Result<Self, KeySetError> {
        if text.len() > MAX_BYTES {
            return Err(KeySetError::TooLarge);
        }
        let set = jwt::parse_object(text).ok_or(KeySetError::Malformed)?;
        let Some(Value::Array(published)) = set.get("keys") else {
            return Err(KeySetError::Malformed);
        };
        if published.len() > MAX_KEYS {
            return Err(KeySetError::TooManyKeys);
        }
        let mut found = Self::default();
        for jwk in published {
            found.insert(jwk);
        }
        Ok(found)
    }

    fn insert(&mut self, published: &Value) {
        let key_id = jwk::key_id(published).map(str::to_owned);
        match (jwk::parse(published), key_id) {
            (Ok(key), Some(key_id)) => self.keys.push((key_id, key)),
            (Ok(_), None) => self.rejected.push(RejectedKey {
                key_id: None,
                reason: JwkError::Malformed { member: "kid" },
            }),
            (Err(reason), key_id) => self.rejected.push(RejectedKey { key_id, reason }),
        }
    }

    /// The keys with this id: usually one, several during a key rotation.
    pub fn candidates(&self, key_id: &str) -> impl Iterator<Item = &VerificationKey> {
        let named = self.keys.iter().filter(move |(name, _)| name == key_id);
        named.map(|(_, key)| key)
    }

    /// Number of usable keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no usable key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys that cannot be used, with reasons, for diagnostics.
    pub fn rejected(&self) -> &[RejectedKey] {
        &self.rejected
    }
}
