//! Delivery of the audit trail from the store to its sink.
//!
//! Changes are recorded by the tables and committed with the change itself. An [`AuditWriter`]
//! passes the events on to a sink from its own thread, and they are removed from the store once the
//! sink has them. So no change waits for the sink, and the sink misses no change: after a crash,
//! unwritten events are written by the next process. Refusals change nothing and are not committed;
//! they are buffered in memory, limited in number.

mod progress;
mod pump;
mod refusals;
mod sink;
mod start;
mod writer;

pub use progress::find_problem;
pub use refusals::{Refusal, record_refusal};
pub use sink::{AuditEvent, AuditSink, SinkPosition};
pub use start::BEGIN_OPERATION;
pub use writer::AuditWriter;

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::audit::AuditTrailId;
use portcullis_storage::tables::{AuditBacklog, WrittenCursor};
use progress::Progress;
use refusals::Refusals;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Thread;

/// State shared by use cases and the writer.
#[derive(Default)]
pub(crate) struct AuditTrail {
    written: Mutex<WrittenCursor>,
    writer: OnceLock<Thread>,
    /// Whether the writer has to be woken; it stays awake for a while afterwards.
    is_sleeping: AtomicBool,
    refusals: Mutex<Refusals>,
    progress: Mutex<Progress>,
}

impl AuditTrail {
    /// How far the store's events are known to be written.
    pub(crate) fn written(&self) -> WrittenCursor {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_written(&self, mark: WrittenCursor) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = mark;
    }

    /// Registers the writer's thread for wake-ups.
    fn register_writer(&self, writer: Thread) {
        // There is one writer; tests start more of them, which poll.
        let _ = self.writer.set(writer);
    }

    /// Wakes the writer. Waking a thread costs about as much as a small request, so it is done once
    /// for all events until the writer looks.
    pub(crate) fn wake(&self) {
        if self.is_sleeping.swap(false, Ordering::AcqRel)
            && let Some(writer) = self.writer.get()
        {
            writer.unpark();
        }
    }

    /// Requests a wake-up for the next event. The writer looks for events afterwards, or it would
    /// miss those in between.
    fn mark_sleeping(&self) {
        self.is_sleeping.swap(true, Ordering::AcqRel);
    }
}

/// The store's trail id, and the number of the first event in it.
///
/// # Errors
///
/// When the store fails.
pub fn find_trail(app: &App) -> Result<(Option<AuditTrailId>, u64), AppError> {
    let view = app.snapshot()?;
    let backlog = AuditBacklog::read(view.rows())?;
    Ok((backlog.trail, backlog.first_seq(view.rows())?))
}

/// Removes the events that the sink has from the store, so that no later process writes them again.
///
/// # Errors
///
/// When the store fails; the events are removed later then.
pub async fn trim_written(app: &App) -> Result<(), AppError> {
    let written = app.trail.written();
    if AuditBacklog::read(app.snapshot()?.rows())?.first_row >= written.row {
        return Ok(());
    }
    app.commit_unaudited(move |rows| Ok(rows.trim_events(&written)?))
        .await
}
