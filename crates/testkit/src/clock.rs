//! Manually controlled clock.

use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use std::sync::Mutex;

/// A clock that shows the time it was set to.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    pub fn new(now: Timestamp) -> Self {
        Self(Mutex::new(now))
    }

    /// Moves the clock forward, or back.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap();
        *now = now.checked_add(by).unwrap();
    }

    pub fn set(&self, now: Timestamp) {
        *self.0.lock().unwrap() = now;
    }
}

impl Default for ManualClock {
    /// A clock at an arbitrary time: 2031-04-05 06:07:08.009 UTC.
    fn default() -> Self {
        Self::new("2031-04-05T06:07:08.009Z".parse().unwrap())
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}
