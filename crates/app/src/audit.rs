//! The audit trail on its way from the store to its destination.
//!
//! What changes is noted by the tables and committed with the change itself. An [`AuditWriter`] takes the
//! events from there to a sink, on a thread of its own, and they leave the store only once the sink has
//! them. So a change waits for no sink, and no sink misses a change: after a kill, the events that were
//! not written are written by the next process. Refusals change nothing and are not committed; they are
//! kept in memory until they are written, and limited in number.

mod refusals;
mod sink;
mod writer;

pub use refusals::{Refusal, refused};
pub use sink::{AuditEvent, AuditSink};
pub use writer::{AuditWriter, fault};

use crate::app::App;
use crate::error::AppError;
use portcullis_storage::tables::AuditBacklog;
use refusals::Refusals;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::Thread;
use writer::Progress;

/// What use cases and the writer know of each other.
#[derive(Default)]
pub(crate) struct Trail {
    /// Rows of the store before this one are with the sink.
    written: AtomicU64,
    writer: OnceLock<Thread>,
    refusals: Mutex<Refusals>,
    progress: Mutex<Progress>,
}

impl Trail {
    /// The first row that is not known to be with the sink.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// Tells the writer that there is something to write.
    pub(crate) fn wake(&self) {
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }
}

/// Has the store forget the events that the sink has, so that no later process writes them again.
///
/// # Errors
///
/// When the store fails; it forgets them later then.
pub async fn forget_written(app: &App) -> Result<(), AppError> {
    let written = app.trail.written();
    if AuditBacklog::read(app.snapshot()?.rows())?.first_row >= written {
        return Ok(());
    }
    app.commit_silently(move |rows| Ok(rows.trim_events(written)?))
        .await
}
