//! Time, as the parts of a router are told it.

use std::time::Duration;

use portcullis_channel::{Moment, Now, UnixNanos};
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_transport::Clock;
use tokio::time::Instant;

/// One monotonic clock, which tells the wall clock's time of the start plus what has passed since: pauses do
/// not depend on somebody who sets the wall clock.
#[derive(Debug, Clone, Copy)]
pub struct RouterClock {
    clock: Clock,
    start: Timestamp,
}

impl RouterClock {
    /// Starts at this time of the wall clock.
    pub fn start(wall: Timestamp) -> Self {
        let nanos = u64::try_from(wall.as_nanosecond()).unwrap_or_default();
        Self {
            clock: Clock::start(UnixNanos(nanos)),
            start: wall,
        }
    }

    /// The clock of channels.
    pub const fn of_channels(&self) -> Clock {
        self.clock
    }

    pub fn now(&self) -> Now {
        self.clock.now()
    }

    pub fn moment(&self) -> Moment {
        self.clock.now().mono
    }

    pub fn timestamp(&self) -> Timestamp {
        let elapsed = self.moment().since(Moment::ZERO);
        let elapsed = SignedDuration::try_from(elapsed).unwrap_or(SignedDuration::MAX);
        saturating_add(self.start, elapsed)
    }

    /// When a moment comes.
    pub fn instant(&self, moment: Moment) -> Instant {
        self.clock.instant(moment)
    }

    /// When a time comes; now if it has passed.
    pub fn instant_of(&self, timestamp: Timestamp) -> Instant {
        let left = timestamp.duration_since(self.timestamp());
        Instant::now() + Duration::try_from(left).unwrap_or_default()
    }
}
