//! How long something takes, however it ends.

use portcullis_metrics::Timer;
use std::sync::Arc;
use std::time::Instant;

/// Records the time from its start until it is dropped.
pub(crate) struct Timing {
    timer: Arc<Timer>,
    begun: Instant,
}

impl Timing {
    pub(crate) fn start(timer: &Arc<Timer>) -> Self {
        Self {
            timer: Arc::clone(timer),
            begun: Instant::now(),
        }
    }
}

impl Drop for Timing {
    fn drop(&mut self) {
        self.timer.record(self.begun.elapsed());
    }
}
