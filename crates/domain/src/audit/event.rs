//! An event of the audit trail.

use serde::Serialize;

/// An event in the form in which it is written, with what is particular to its operation.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event<'e, D> {
    /// When it was.
    pub timestamp: &'e str,
    /// What was done.
    pub operation: &'e str,
    /// What is particular to the operation.
    #[serde(flatten)]
    pub detail: D,
    /// Id of whoever did it, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<&'e str>,
    /// Name of whoever did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<&'e str>,
    /// The API session through which it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<&'e str>,
    /// Where the request came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'e str>,
    /// The request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<&'e str>,
}

impl<'e, D> Event<'e, D> {
    /// An event of nobody in particular.
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
