//! When a subscriber wants entities to be counted.

use portcullis_events::Subscription;
use std::time::Duration;
use tokio::time::Instant;

/// Time until the first count after subscribing.
const FIRST_COUNT_AFTER: Duration = Duration::from_secs(1);

/// The times at which the subscriptions of a subscriber want a count.
#[derive(Debug, Default)]
pub(crate) struct CountSchedule(Vec<CountTimer>);

#[derive(Debug)]
struct CountTimer {
    /// Position of the subscription.
    subscription: usize,
    interval: Duration,
    next: Instant,
}

impl CountSchedule {
    pub(crate) fn new(subscriptions: &[Subscription], now: Instant) -> Self {
        let timer = |(position, subscription): (usize, &Subscription)| {
            Some(CountTimer {
                subscription: position,
                interval: subscription.count_interval()?,
                next: now + FIRST_COUNT_AFTER,
            })
        };
        Self(subscriptions.iter().enumerate().filter_map(timer).collect())
    }

    /// The earliest time at which a count is wanted.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.0.iter().map(|timer| timer.next).min()
    }

    /// Whether a subscription wants the count of this time; the next one is that of its next interval.
    pub(crate) fn take_due(&mut self, subscription: usize, now: Instant) -> bool {
        let mut timers = self.0.iter_mut();
        let Some(timer) = timers.find(|timer| timer.subscription == subscription) else {
            return false;
        };
        if now < timer.next {
            return false;
        }
        let on_time = timer.next + timer.interval;
        // Counts that were missed, as in a machine that slept, are not made up for.
        timer.next = if on_time > now {
            on_time
        } else {
            now + timer.interval
        };
        true
    }
}
