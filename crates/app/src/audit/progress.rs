//! Progress of the audit writer, for health checks.

use super::AuditSink;
use crate::app::App;
use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Duration of one sink call after which the sink counts as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(5);

/// Progress of the writer.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Start of the current sink call.
    busy_since: Option<Instant>,
    /// Whether the sink or the store failed last time. The reason is in the log only: the health
    /// check is public, file names are not.
    pub(super) has_failed: bool,
    /// Whether the thread panicked.
    has_panicked: bool,
}

/// Describes what is wrong with the audit trail, if anything.
pub fn find_problem(app: &App) -> Option<String> {
    let progress = lock_progress(app);
    if progress.has_panicked {
        let message = "the audit trail is no longer written because of a bug: restart the \
                    controller, which then writes the events in the store, and report the bug";
        return Some(message.to_owned());
    }
    if progress.has_failed {
        return Some("the audit trail cannot be written; see the log for the reason".to_owned());
    }
    let busy = progress.busy_since?.elapsed();
    (busy > STUCK_AFTER).then(|| {
        let seconds = busy.as_secs();
        format!("the destination of the audit trail has not accepted events for {seconds} s")
    })
}

pub(super) fn lock_progress(app: &App) -> MutexGuard<'_, Progress> {
    app.trail
        .progress
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Calls the sink and tracks the call for the health check.
pub(super) fn call_tracked(
    app: &App,
    sink: &mut dyn AuditSink,
    call: impl FnOnce(&mut dyn AuditSink) -> io::Result<()>,
) -> io::Result<()> {
    lock_progress(app).busy_since = Some(Instant::now());
    let outcome = call(sink);
    let mut progress = lock_progress(app);
    let was_healthy = !progress.has_failed;
    progress.busy_since = None;
    progress.has_failed = outcome.is_err();
    drop(progress);
    if let Err(error) = &outcome
        && was_healthy
    {
        tracing::error!(%error, "the audit trail cannot be written; retrying");
    }
    outcome
}

/// Reports a panic of the thread to the health check when dropped.
pub(super) struct PanicGuard(pub(super) Arc<App>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            lock_progress(&self.0).has_panicked = true;
        }
    }
}
