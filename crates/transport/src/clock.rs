//! The clock of channels.

use portcullis_channel::{Moment, Now, UnixNanos};
use tokio::time::Instant;

/// Converts between tokio's clock and the time that channels are told.
///
/// One clock serves all channels of a process, and may serve a
/// [`GroupRegistry`](portcullis_channel::group::GroupRegistry) as well.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
    /// The wall clock at the start.
    wall: UnixNanos,
}

impl Clock {
    /// Starts a clock; `wall` is the time of the wall clock. It is only written into heartbeats, so
    /// setting the wall clock later has no effect.
    pub fn start(wall: UnixNanos) -> Self {
        Self {
            start: Instant::now(),
            wall,
        }
    }

    pub fn now(&self) -> Now {
        let elapsed = self.start.elapsed();
        let nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        Now {
            mono: Moment::ZERO + elapsed,
            wall: UnixNanos(self.wall.0.saturating_add(nanos)),
        }
    }

    /// The instant of a moment.
    pub fn instant(&self, moment: Moment) -> Instant {
        self.start + moment.since(Moment::ZERO)
    }
}
