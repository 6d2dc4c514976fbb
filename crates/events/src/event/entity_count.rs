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
