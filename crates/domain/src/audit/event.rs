//! Events of the audit trail.

use serde::Serialize;

/// An audit event as written; `D` holds the fields of its operation.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event<'e, D> {
    pub timestamp: &'e str,
    pub operation: &'e str,
    /// Fields specific to the operation.
    #[serde(flatten)]
    pub detail: D,
    /// Id of the actor, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<&'e str>,
    /// Client address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<&'e str>,
}

impl<'e, D> Event<'e, D> {
    /// An event without an actor.
    pub const fn new(timestamp: &'e str, operation: &'e str, detail: D) -> Self {
        Self {
            timestamp,
            operation,
            detail,
            actor: None,
            actor_name: None,
            session: None,
            source: None,
            request: None,
        }
    }
}
