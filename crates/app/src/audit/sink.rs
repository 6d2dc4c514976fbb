//! Where the audit trail goes.

use serde_json::json;
use std::io;

/// An event as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// The number of a committed event; others have none.
    pub seq: Option<u64>,
    /// A JSON object on one line.
    pub text: String,
}

/// Keeps events, or passes them on. It is called by one thread, which may wait in it.
pub trait AuditSink: Send + 'static {
    /// The number of the last event that it has, 0 for none; `None` if it does not know.
    fn last_seq(&self) -> Option<u64> {
        None
    }

    /// Takes events, all or none.
    ///
    /// # Errors
    ///
    /// When they could not be taken; the same events are handed in once more later.
    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()>;

    /// Makes sure that what was taken outlives a loss of power.
    ///
    /// # Errors
    ///
    /// When it may not.
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AuditEvent {
    /// A committed event, from the form in which the store has it.
    pub(super) fn committed(seq: u64, stored: &str) -> Self {
        let members = stored.strip_prefix('{').unwrap_or(stored);
        Self {
            seq: Some(seq),
            text: format!("{{\"seq\":{seq},{members}"),
        }
    }

    /// An event about events that are missing: `first` to `last`.
    pub(super) fn missing(timestamp: &str, first: u64, last: u64) -> Self {
        let event = json!({"timestamp": timestamp, "operation": "audit.missing",
            "first": first, "last": last});
        Self {
            seq: None,
            text: event.to_string(),
        }
    }

    /// The event that says that the store is older than what the sink has: numbers are used again.
    pub(super) fn restarted(timestamp: &str, next: u64) -> Self {
        let event = json!({"timestamp": timestamp, "operation": "audit.restart", "next": next});
        Self {
            seq: None,
            text: event.to_string(),
        }
    }
}
