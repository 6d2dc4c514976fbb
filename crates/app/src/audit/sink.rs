//! Where the audit trail goes.

use portcullis_domain::audit::Event;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::io;

/// An event as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// The number of a committed event; others have none.
    pub seq: Option<u64>,
    /// A JSON object on one line.
    pub text: String,
}

/// How far a sink has come that keeps what it takes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SinkPosition {
    /// Whether it has nothing at all.
    pub is_empty: bool,
    /// Which trail it has, if that is said in it.
    pub trail: Option<String>,
    /// The number of the last committed event that it has, 0 for none.
    pub seq: u64,
    /// The digest of that event, if it is still there.
    pub digest: Option<[u8; 32]>,
}

/// Keeps events, or passes them on. It is called by one thread, which may wait in it.
pub trait AuditSink: Send + 'static {
    /// How far it has come; `None` if it does not know.
    fn position(&self) -> Option<SinkPosition> {
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
    /// When it may not. All that was taken since this went well the last time is forgotten then, and
    /// handed in once more.
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

    /// An event that is not committed; nothing if it has no form, which cannot be.
    pub fn uncommitted(event: &Event<'_, impl Serialize>) -> Self {
        Self {
            seq: None,
            text: serde_json::to_string(event).unwrap_or_else(|_unfit| "{}".to_owned()),
        }
    }

    /// SHA-256 of an event as it is written.
    pub fn digest(text: &str) -> [u8; 32] {
        Sha256::digest(text).into()
    }
}
