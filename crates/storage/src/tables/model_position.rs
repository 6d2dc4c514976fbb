//! Where the router data model is, for the next start.

use super::{Rows, RowsMut};
use crate::engine::StoreError;
use crate::frame;
use crate::key::MODEL_POSITION_KEY as KEY;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A position of the router data model, and what it contained there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelPosition {
    pub timeline: String,
    pub index: u64,
    /// Stands for the entities.
    pub digest: String,
    /// Ids of all public keys that routers may have.
    pub key_ids: BTreeSet<String>,
}

impl Rows<'_> {
    /// The position that was kept last, if any.
    pub fn model_position(self) -> Result<Option<ModelPosition>, StoreError> {
        let Some(row) = self.tx().get(KEY)? else {
            return Ok(None);
        };
        let body = frame::decode(KEY, &row)?;
        let position = serde_json::from_slice(body).map_err(|_error| {
            StoreError::corrupt("the position of the router data model is damaged")
        })?;
        Ok(Some(position))
    }
}

impl RowsMut<'_> {
    /// Replaces the position.
    pub fn put_model_position(&mut self, position: &ModelPosition) -> Result<(), StoreError> {
        let body = serde_json::to_vec(position).map_err(|error| {
            StoreError::corrupt(format!("position of the router data model: {error}"))
        })?;
        self.tx.put(KEY, &frame::encode(KEY, &body));
        Ok(())
    }
}
