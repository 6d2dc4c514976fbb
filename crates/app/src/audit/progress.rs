//! Progress of the audit writer, for health checks.

use super::AuditSink;
use crate::app::App;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

/// Describes what is wrong with the audit trail, if anything.
pub fn find_problem(app: &App) -> Option<String> {
    app.trail.progress().problem()
}

/// Calls the sink and tracks the call for the health check.
pub(super) fn call_tracked(
    app: &App,
    sink: &mut dyn AuditSink,
    call: impl FnOnce(&mut dyn AuditSink) -> io::Result<()>,
) -> io::Result<()> {
    app.trail.progress().busy_since = Some(Instant::now());
    let outcome = call(sink);
    let mut progress = app.trail.progress();
    let was_healthy = !progress.has_failed;
    progress.busy_since = None;
    progress.has_failed = outcome.is_err();
    progress.is_failure_logged |= outcome.is_err();
    drop(progress);
    if let Err(error) = &outcome
        && was_healthy
    {
        tracing::error!(%error, "the audit trail cannot be written; retrying");
    }
    outcome
}

/// Logs that events are written again if the log has said that they are not.
pub(super) fn log_recovery(app: &App) {
    let was_logged = std::mem::take(&mut app.trail.progress().is_failure_logged);
    if was_logged {
        tracing::info!("the audit trail is written again");
    }
}

/// Reports a panic of the thread to the health check when dropped.
pub(super) struct PanicGuard(pub(super) Arc<App>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.trail.progress().has_panicked = true;
        }
    }
}
