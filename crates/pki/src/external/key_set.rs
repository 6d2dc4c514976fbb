//! Sets of keys as signers publish them (RFC 7517 section 5).

use serde_json::Value;

use super::{
    VerificationKey,
    jwk::{self, JwkError},
};
use crate::jwt;

/// The largest set that is read: 1 MiB.
const LARGEST: usize = 1024 * 1024;
/// How many keys a set may have. Providers publish a handful.
const MOST_KEYS: usize = 128;

/// A set of keys was refused as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// The text is larger than 1 MiB.
    #[error("the key set is larger than 1 MiB")]
    TooLarge,
    /// The text is no JSON object with a list of keys, or a member stands twice in it.
    #[error("not a JSON Web Key Set (JWKS)")]
    Malformed,
    /// There are more than 128 keys.
    #[error("the key set has more than {MOST_KEYS} keys")]
    TooManyKeys,
}

/// A key of a set that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedKey {
    /// The name of the key, if it has one.
    pub key_id: Option<String>,
    /// Why it cannot be used.
    pub reason: JwkError,
}

/// The keys that a signer publishes, as far as they can verify tokens.
#[derive(Debug, Default)]
pub struct KeySet {
    keys: Vec<(String, VerificationKey)>,
    refused: Vec<RefusedKey>,
}

impl KeySet {
    /// Reads a set. Keys that cannot be used are [left out](Self::refused): providers publish keys
    /// for other purposes beside those that sign.
    ///
    /// # Errors
    ///
    /// [`KeySetError`] when the set as a whole cannot be read.
    pub fn parse(text: &[u8]) -> Result<Self, KeySetError> {
        if text.len() > LARGEST {
            return Err(KeySetError::TooLarge);
        }
        let set = jwt::object(text).ok_or(KeySetError::Malformed)?;
        let Some(Value::Array(published)) = set.get("keys") else {
            return Err(KeySetError::Malformed);
        };
        if published.len() > MOST_KEYS {
            return Err(KeySetError::TooManyKeys);
        }
        let mut found = Self::default();
        for jwk in published {
            found.take(jwk);
        }
        Ok(found)
    }

    fn take(&mut self, published: &Value) {
        let key_id = jwk::key_id(published).map(str::to_owned);
        match (jwk::read(published), key_id) {
            (Ok(key), Some(key_id)) => self.keys.push((key_id, key)),
            (Ok(_), None) => self.refused.push(RefusedKey {
                key_id: None,
                reason: JwkError::Malformed { member: "kid" },
            }),
            (Err(reason), key_id) => self.refused.push(RefusedKey { key_id, reason }),
        }
    }

    /// The keys of this name: mostly one, several while a provider changes what it signs with.
    pub fn candidates(&self, key_id: &str) -> impl Iterator<Item = &VerificationKey> {
        let named = self.keys.iter().filter(move |(name, _)| name == key_id);
        named.map(|(_, key)| key)
    }

    /// How many keys can be used.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether no key can be used.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys that cannot be used, and why: for those who wonder where a key is.
    pub fn refused(&self) -> &[RefusedKey] {
        &self.refused
    }
}
