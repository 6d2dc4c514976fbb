//! Destinations of the audit trail.

use portcullis_domain::audit::Event;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::io;

/// A rendered event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// The number of a committed event; others have none.
    pub seq: Option<u64>,
    /// A JSON object on one line.
    pub text: String,
}

/// Position of a sink that stores events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SinkPosition {
    /// Whether it has no events.
    pub is_empty: bool,
    /// The trail id, if known.
    pub trail: Option<String>,
    /// Number of its last committed event, 0 for none.
    pub seq: u64,
    /// Digest of that event, if available.
    pub digest: Option<[u8; 32]>,
}

/// A destination of events. It is called from one thread and may block.
pub trait AuditSink: Send + 'static {
    /// Its position; `None` if unknown.
    fn position(&self) -> Option<SinkPosition> {
        None
    }

    /// Writes events, all or none.
    ///
    /// # Errors
    ///
    /// When they could not be written; the same events are passed again later.
    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()>;

    /// Makes all written events durable.
    ///
    /// # Errors
    ///
    /// When durability is not certain. All events since the last successful sync are then passed
    /// again.
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AuditEvent {
    /// A committed event in its stored form.
    pub(super) fn committed(seq: u64, stored: &str) -> Self {
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
