//! Events of the audit trail as lines.

use portcullis_domain::audit::Event;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// A rendered event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// The number of a committed event; others have none.
    pub seq: Option<u64>,
    /// A JSON object on one line.
    pub text: String,
}

impl AuditEvent {
    /// A committed event in its stored form.
    pub(crate) fn committed(seq: u64, stored: &str) -> Self {
        let members = stored.strip_prefix('{').unwrap_or(stored);
        Self {
            seq: Some(seq),
            text: format!("{{\"seq\":{seq},{members}"),
        }
    }

    /// An event that is not committed. `{}` if it cannot be serialized, which does not occur.
    pub fn uncommitted(event: &Event<'_, impl Serialize>) -> Self {
        Self {
            seq: None,
            text: serde_json::to_string(event).unwrap_or_else(|_unfit| "{}".to_owned()),
        }
    }

    /// SHA-256 of a rendered event.
    pub fn digest(text: &str) -> [u8; 32] {
        Sha256::digest(text).into()
    }
}
