//! How many entities there are.

use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Serialize)]
pub struct EntityCount {
    /// By type.
    pub counts: BTreeMap<&'static str, u64>,
    /// Why they could not be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl EntityCount {
    /// Bytes of the counts and of why there are none.
    pub(super) fn size(&self) -> usize {
        /// A number, the name of its type, and the room that nodes of a map keep free.
        const COUNT: usize = 48;
        self.counts.len() * COUNT + self.error.as_ref().map_or(0, String::len)
    }
}
