//! Pauses between channels to a controller.

use std::time::Duration;

use portcullis_channel::group::{Backoff, Jitter};

/// A channel that has lived so long has not failed.
const SETTLED: Duration = Duration::from_mins(1);

const BACKOFF: Backoff = Backoff {
    initial: Duration::from_millis(500),
    max: Duration::from_mins(1),
    jitter: Jitter::Half,
};

/// Counts channels to a controller that end soon after they were opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reconnects {
    short_lived: u32,
}

impl Reconnects {
    /// A channel has ended. Returns how long to wait before the next one; `random` is any random number.
    pub fn ended(&mut self, lived: Duration, random: u32) -> Duration {
        self.short_lived = if lived < SETTLED {
            self.short_lived.saturating_add(1)
        } else {
            1
        };
        BACKOFF.delay(self.short_lived, random)
    }
}
