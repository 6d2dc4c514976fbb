//! How long something takes, and how often it happens.

use std::time::Duration;

use crate::histogram::{Distribution, Histogram, Unit};
use crate::meter::{Meter, Rates};

/// A histogram of times together with a meter.
#[derive(Debug)]
pub struct Timer {
    times: Histogram,
    events: Meter,
}

impl Timer {
    pub(crate) fn new() -> Self {
        Self {
            times: Histogram::new(Unit::Nanoseconds),
            events: Meter::default(),
        }
    }

    /// Records that something took this long.
    pub fn record(&self, time: Duration) {
        self.times.record_time(time);
        self.events.mark(1);
    }

    /// Distribution of the times, in nanoseconds.
    pub fn distribution(&self) -> Distribution {
        self.times.distribution()
    }

    pub fn rates(&self) -> Rates {
        self.events.rates()
    }

    pub(crate) fn tick(&self, elapsed: Duration) {
        self.times.tick(elapsed);
        self.events.tick(elapsed);
    }
}
