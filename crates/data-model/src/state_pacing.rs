//! How often routers get the whole state.

use portcullis_channel::Moment;
use std::collections::BTreeMap;
use std::time::Duration;

/// Keeps the time between two full states for each router, by id: a router that connects anew is the same.
#[derive(Debug)]
pub(crate) struct StatePacing {
    interval: Duration,
    /// When routers got one, for as long as it counts.
    last: BTreeMap<String, Moment>,
}

impl StatePacing {
    pub(crate) const fn new(interval: Duration) -> Self {
        Self {
            interval,
            last: BTreeMap::new(),
        }
    }

    /// When the next one for a router is due, `now` at the earliest.
    pub(crate) fn next(&self, router: &str, now: Moment) -> Moment {
        let last = self.last.get(router);
        last.map_or(now, |last| (*last + self.interval).max(now))
    }

    /// Takes note that a router gets one, unless it is too early.
    pub(crate) fn take(&mut self, router: &str, now: Moment) -> bool {
        if self.next(router, now) > now {
            return false;
        }
        let interval = self.interval;
        self.last.retain(|_, last| *last + interval > now);
        self.last.insert(router.to_owned(), now);
        true
    }
}
