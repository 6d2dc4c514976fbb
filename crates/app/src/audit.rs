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

pub use crate::state::AuditEvent;
pub use progress::find_problem;
pub use refusals::{RefusalEvent, record_refusal};
pub use sink::{AuditSink, SinkPosition};
pub use start::BEGIN_OPERATION;
pub use writer::AuditWriter;

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::audit::AuditTrailId;
use portcullis_storage::tables::AuditBacklog;

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

/// Has the writer open its destination anew if that was moved away.
pub fn reopen(app: &App) {
    app.trail.request_reopening();
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
