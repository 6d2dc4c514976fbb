//! A clock that stands still until it is moved.

use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use std::sync::Mutex;

/// Shows the instant that it was set to.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock set to the given instant.
    pub fn new(now: Timestamp) -> Self {
        Self(Mutex::new(now))
    }

    /// Moves it on, or back.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap();
        *now = now.checked_add(by).unwrap();
    }

    /// Sets it.
    pub fn set(&self, now: Timestamp) {
        *self.0.lock().unwrap() = now;
    }
}

impl Default for ManualClock {
    /// A clock at an ordinary moment: 2031-04-05 06:07:08.009 UTC.
    fn default() -> Self {
        Self::new("2031-04-05T06:07:08.009Z".parse().unwrap())
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}
