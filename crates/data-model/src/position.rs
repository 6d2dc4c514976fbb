//! What has to outlive the process.

use std::collections::BTreeSet;

/// Where the model is. It belongs into the store, in the transaction that moves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Random; a new one whenever a database is made, restored or replaced.
    pub timeline_id: String,
    /// Of the last change set; 0 before the first.
    pub index: u64,
    /// Ids of all public keys that the model has had on this timeline. Routers that return are told by
    /// them which are gone.
    pub key_ids: BTreeSet<String>,
}

impl Position {
    /// The start of a timeline.
    pub const fn start(timeline_id: String) -> Self {
        Self {
            timeline_id,
            index: 0,
            key_ids: BTreeSet::new(),
        }
    }
}
