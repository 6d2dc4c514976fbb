//! The audit trail on its way from the store to its destination.
//!
//! What changes is noted by the tables and committed with the change itself. An [`AuditWriter`] takes the
//! events from there to a sink, on a thread of its own, and they leave the store only once the sink has
//! them. So a change waits for no sink, and no sink misses a change: after a kill, the events that were
//! not written are written by the next process. Refusals change nothing and are not committed; they are
//! kept in memory until they are written, and limited in number.

mod beginning;
mod progress;
mod pump;
mod refusals;
mod sink;
mod writer;

pub use beginning::BEGIN;
pub use progress::fault;
pub use refusals::{Refusal, refused};
pub use sink::{AuditEvent, AuditSink, SinkPosition};
pub use writer::AuditWriter;

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::audit::TrailId;
use portcullis_storage::tables::{AuditBacklog, WrittenMark};
use progress::Progress;
use refusals::Refusals;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Thread;

/// What use cases and the writer know of each other.
#[derive(Default)]
pub(crate) struct Trail {
    written: Mutex<WrittenMark>,
    writer: OnceLock<Thread>,
    /// Whether the writer has to be woken for news; it is awake for a while afterwards.
    sleeps: AtomicBool,
    refusals: Mutex<Refusals>,
    progress: Mutex<Progress>,
}

impl Trail {
    /// What of the store is known to be with the sink.
    pub(crate) fn written(&self) -> WrittenMark {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_written(&self, mark: WrittenMark) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = mark;
    }

    /// Has a thread be told of news.
    fn register(&self, writer: Thread) {
        // There is one writer; tests start others after it, which look for news themselves.
        let _ = self.writer.set(writer);
    }

    /// Tells the writer that there is something to write. Waking a thread costs about as much as a
    /// small request, so that this is done once for all that comes until it looks.
    pub(crate) fn wake(&self) {
        if self.sleeps.swap(false, Ordering::AcqRel)
            && let Some(writer) = self.writer.get()
        {
            writer.unpark();
        }
    }

    /// Has the writer woken for what comes from now on. It looks for what is there already afterwards,
    /// or it would miss what came in between.
    fn sleep(&self) {
        self.sleeps.swap(true, Ordering::AcqRel);
    }
}

/// Which trail the store has, and the number of the first event that is still there.
///
/// # Errors
///
/// When the store fails.
pub fn kept(app: &App) -> Result<(Option<TrailId>, u64), AppError> {
    let view = app.snapshot()?;
    let backlog = AuditBacklog::read(view.rows())?;
    Ok((backlog.trail, backlog.first_seq(view.rows())?))
}

/// Has the store forget the events that the sink has, so that no later process writes them again.
///
/// # Errors
///
/// When the store fails; it forgets them later then.
pub async fn forget_written(app: &App) -> Result<(), AppError> {
    let written = app.trail.written();
    if AuditBacklog::read(app.snapshot()?.rows())?.first_row >= written.row {
        return Ok(());
    }
    app.commit_silently(move |rows| Ok(rows.trim_events(&written)?))
        .await
}
