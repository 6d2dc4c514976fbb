//! How the writer of the audit trail gets on, as the health check sees it.

use super::AuditSink;
use crate::app::App;
use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a sink may take before it counts as stuck.
const STUCK: Duration = Duration::from_secs(5);

/// How the writer gets on.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Since when the sink has been at work on one call.
    busy_since: Option<Instant>,
    /// Whether the sink, or the store, failed the last time. Why stands in the log: file names and the
    /// like are not for everybody who may ask for the health.
    pub(super) has_failed: bool,
    /// Whether the thread ended by a panic.
    has_died: bool,
}

/// What is wrong with the audit trail, if something is.
pub fn fault(app: &App) -> Option<String> {
    let progress = progress(app);
    if progress.has_died {
        let died = "the audit trail is not written any more, because of a bug: restart the \
                    controller, which writes what waits in the store, and report it";
        return Some(died.to_owned());
    }
    if progress.has_failed {
        return Some("the audit trail cannot be written; the log says why".to_owned());
    }
    let busy = progress.busy_since?.elapsed();
    (busy > STUCK).then(|| {
        let seconds = busy.as_secs();
        format!("the destination of the audit trail has taken nothing for {seconds} s")
    })
}

pub(super) fn progress(app: &App) -> MutexGuard<'_, Progress> {
    app.trail
        .progress
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Calls the sink where the health check sees it.
pub(super) fn watched(
    app: &App,
    sink: &mut dyn AuditSink,
    call: impl FnOnce(&mut dyn AuditSink) -> io::Result<()>,
) -> io::Result<()> {
    progress(app).busy_since = Some(Instant::now());
    let outcome = call(sink);
    let mut progress = progress(app);
    let was_well = !progress.has_failed;
    progress.busy_since = None;
    progress.has_failed = outcome.is_err();
    drop(progress);
    if let Err(error) = &outcome
        && was_well
    {
        tracing::error!(%error, "the audit trail cannot be written; it is tried again");
    }
    outcome
}

/// Tells the health check when the thread ends by a panic.
pub(super) struct DeathWatch(pub(super) Arc<App>);

impl Drop for DeathWatch {
    fn drop(&mut self) {
        if thread::panicking() {
            progress(&self.0).has_died = true;
        }
    }
}
