//! Public keys of the controller that tokens are verified with.

use super::{Rows, RowsMut};
use crate::engine::StoreError;
use crate::frame;
use crate::key::META_TAG;
use portcullis_domain::clock::Timestamp;
use serde::{Deserialize, Serialize};

/// Key of the list.
const KEYS_KEY: &[u8] = &[META_TAG, 6];

/// A public key whose private key signs tokens, or did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSigningKey {
    /// The `kid` of its tokens: lower-case hex SHA-1 of the certificate's DER.
    pub kid: String,
    /// The certificate in PEM.
    pub certificate: String,
    /// When the last token that it signed has expired; `None` while it is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When the last token of a session that it signed has expired, if that is earlier. The others
    /// are for routers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_tokens_expire_at: Option<Timestamp>,
}

impl Rows<'_> {
    /// The public keys that tokens are verified with.
    pub fn signing_keys(self) -> Result<Vec<StoredSigningKey>, StoreError> {
        let Some(row) = self.tx().get(KEYS_KEY)? else {
            return Ok(Vec::new());
        };
        let body = frame::decode(KEYS_KEY, &row)?;
        serde_json::from_slice(body)
            .map_err(|_error| StoreError::corrupt("the list of signing keys is damaged"))
    }
}

impl RowsMut<'_> {
    /// Replaces the public keys that tokens are verified with.
    pub fn put_signing_keys(&mut self, keys: &[StoredSigningKey]) -> Result<(), StoreError> {
        let body = serde_json::to_vec(keys)
            .map_err(|error| StoreError::corrupt(format!("signing keys: {error}")))?;
        self.tx.put(KEYS_KEY, &frame::encode(KEYS_KEY, &body));
        Ok(())
    }
}
