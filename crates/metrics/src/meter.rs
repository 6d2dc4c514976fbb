//! Events per second.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::float::from_count;

const MINUTE: Duration = Duration::from_mins(1);

/// Counts events, and tells how many there are per second.
#[derive(Debug, Default)]
pub struct Meter {
    count: AtomicU64,
    /// As of the last tick.
    ticked: Mutex<Ticked>,
}

/// Events per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Weighted exponentially over a minute.
    pub one_minute: f64,
    pub five_minutes: f64,
    pub fifteen_minutes: f64,
    /// Over all the time that there was a meter.
    pub mean: f64,
}

#[derive(Debug, Default)]
struct Ticked {
    count: u64,
    age: Duration,
    rates: Rates,
}

impl Meter {
    /// Counts events.
    pub fn mark(&self, events: u64) {
        self.count.fetch_add(events, Ordering::Relaxed);
    }

    /// Counts as many events as somebody else has counted so far.
    pub fn advance_to(&self, count: u64) {
        self.count.fetch_max(count, Ordering::Relaxed);
    }

    /// Number of events so far.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// As of the last tick.
    pub fn rates(&self) -> Rates {
        self.ticked.lock().rates
    }

    /// Accounts for the events since the last tick, `elapsed` ago.
    pub(crate) fn tick(&self, elapsed: Duration) {
        if elapsed.is_zero() {
            return;
        }
        let count = self.count();
        let mut ticked = self.ticked.lock();
        let now = from_count(count.saturating_sub(ticked.count)) / elapsed.as_secs_f64();
        let is_first = ticked.age.is_zero();
        let next = |rate: f64, window: Duration| {
            if is_first {
                return now;
            }
            let weight = 1.0 - (-elapsed.as_secs_f64() / window.as_secs_f64()).exp();
            weight.mul_add(now - rate, rate)
        };
        ticked.age += elapsed;
        ticked.count = count;
        ticked.rates = Rates {
            one_minute: next(ticked.rates.one_minute, MINUTE),
            five_minutes: next(ticked.rates.five_minutes, 5 * MINUTE),
            fifteen_minutes: next(ticked.rates.fifteen_minutes, 15 * MINUTE),
            mean: from_count(count) / ticked.age.as_secs_f64(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_secs(5);

    #[test]
    fn rates_are_those_of_go_metrics() {
        let meter = Meter::default();
        // Three events in the first five seconds, then none.
        meter.mark(3);
        meter.tick(TICK);
        assert_eq!(meter.rates().one_minute.to_bits(), 0.6_f64.to_bits());
        let minute = |meter: &Meter| (0..12).for_each(|_| meter.tick(TICK));
        for (one, five, fifteen) in [
            (
                0.220_727_664_702_865_6,
                0.491_238_451_846_789_1,
                0.561_304_191_018_970_4,
            ),
            (
                0.081_201_169_941_967_74,
                0.402_192_027_621_383_6,
                0.525_103_991_425_768_4,
            ),
        ] {
            minute(&meter);
            let rates = meter.rates();
            assert!((rates.one_minute - one).abs() < 1e-9, "{rates:?}");
            assert!((rates.five_minutes - five).abs() < 1e-9, "{rates:?}");
            assert!((rates.fifteen_minutes - fifteen).abs() < 1e-9, "{rates:?}");
        }
        assert!((meter.rates().mean - 3.0 / 125.0).abs() < 1e-9);
        assert_eq!(meter.count(), 3);
    }

    #[test]
    fn time_that_has_not_passed_changes_nothing() {
        let meter = Meter::default();
        meter.mark(1);
        meter.tick(Duration::ZERO);
        assert_eq!(meter.rates(), Rates::default());
    }
}
