//! What outlives the process.

use std::collections::BTreeSet;

/// Where the model is, and what it contains there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Random.
    pub timeline_id: String,
    /// Of the last change set; 0 before the first.
    pub index: u64,
    /// Stands for the entities: a model that has the same one has the same content.
    pub digest: String,
    /// Ids of all public keys that the model has had on this timeline. Routers that return are told by
    /// them which are gone.
    pub key_ids: BTreeSet<String>,
}
