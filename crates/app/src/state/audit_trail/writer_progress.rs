//! Progress of the audit writer, for health checks.

use std::time::{Duration, Instant};

/// Duration of one sink call after which the sink counts as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(5);

/// Progress of the writer.
#[derive(Debug, Default)]
pub(crate) struct WriterProgress {
    /// Start of the current sink call.
    pub(crate) busy_since: Option<Instant>,
    /// Whether the sink or the store failed last time. The reason is in the log only: the health
    /// check is public, file names are not.
    pub(crate) has_failed: bool,
    /// Whether the log has said so, and not yet that it is over.
    pub(crate) is_failure_logged: bool,
    /// Whether the thread panicked.
    pub(crate) has_panicked: bool,
}

impl WriterProgress {
    /// Describes what is wrong with the audit trail, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.has_panicked {
            let message = "the audit trail is no longer written because of a bug: restart the \
                           controller, which then writes the events in the store, and report the \
                           bug";
            return Some(message.to_owned());
        }
        if self.has_failed {
            return Some(
                "the audit trail cannot be written; see the log for the reason".to_owned(),
            );
        }
        let busy = self.busy_since?.elapsed();
        (busy > STUCK_AFTER).then(|| {
            let seconds = busy.as_secs();
            format!("the destination of the audit trail has not accepted events for {seconds} s")
        })
    }
}
