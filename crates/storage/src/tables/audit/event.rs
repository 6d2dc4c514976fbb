//! One event of the audit trail.

use super::members::Difference;
use serde::Serialize;
use serde_json::{Map, Value};

/// An event in the form in which it is stored and written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event<'e> {
    pub(super) timestamp: &'e str,
    pub(super) operation: &'e str,
    /// Id of what it was done to, and its name if it has one.
    pub(super) entity: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity_name: Option<&'e str>,
    /// The identity or router that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owner_name: Option<&'e str>,
    pub(super) actor: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actor_name: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) request: Option<&'e str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) changes: Map<String, Value>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more_changes: usize,
}

impl Event<'_> {
    /// The same event about members that differ.
    pub(super) fn about(self, difference: Difference) -> Self {
        Self {
            changes: difference.members,
            more_changes: difference.more,
            ..self
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands members over by reference"
)]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}
