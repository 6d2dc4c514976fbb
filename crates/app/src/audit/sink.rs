//! Destinations of the audit trail.

use crate::state::AuditEvent;
use std::io;

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

    /// Opens the destination anew if it was moved away, so that whoever moved it can take it. The next
    /// write would do the same.
    ///
    /// # Errors
    ///
    /// When it cannot be opened; the next write tries again.
    fn reopen(&mut self) -> io::Result<()> {
        Ok(())
    }

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
