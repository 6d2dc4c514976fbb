//! Time, as the state machines are told it.

use portcullis_channel::Moment;
use tokio::time::Instant;

/// Converts between tokio's clock and moments since the start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment::ZERO + self.start.elapsed()
    }

    /// When a moment comes.
    pub(crate) fn instant(&self, moment: Moment) -> Instant {
        self.start + moment.since(Moment::ZERO)
    }
}
