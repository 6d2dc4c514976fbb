//! Deadlines by what they are for.

use portcullis_channel::Moment;
use portcullis_wire::edge::ConnectionId;
use std::collections::{BTreeMap, BTreeSet};

/// What a deadline is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// The connection is not there yet, or its circuit has to do something.
    Connection(ConnectionId),
    /// The router has not answered the bind.
    Bind(ConnectionId),
    /// The token expires soon, or a new one was not answered.
    Token,
    /// A latency probe is due, or was not answered.
    Probe,
}

/// At most one deadline for each timer.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    by_time: BTreeSet<(Moment, Timer)>,
    by_timer: BTreeMap<Timer, Moment>,
}

impl Timers {
    /// Sets the deadline in place of an earlier one; `None` clears it.
    pub(crate) fn set(&mut self, timer: Timer, at: Option<Moment>) {
        let old = match at {
            Some(at) => self.by_timer.insert(timer, at),
            None => self.by_timer.remove(&timer),
        };
        if old == at {
            return;
        }
        if let Some(old) = old {
            self.by_time.remove(&(old, timer));
        }
        if let Some(at) = at {
            self.by_time.insert((at, timer));
        }
    }

    pub(crate) fn clear_all(&mut self) {
        self.by_time.clear();
        self.by_timer.clear();
    }

    pub(crate) fn next(&self) -> Option<Moment> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Takes the timer whose deadline passed first.
    pub(crate) fn pop_due(&mut self, now: Moment) -> Option<Timer> {
        let (at, _) = self.by_time.first()?;
        if *at > now {
            return None;
        }
        let (_, timer) = self.by_time.pop_first()?;
        self.by_timer.remove(&timer);
        Some(timer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_deadline_of_a_timer_counts() {
        let at = Moment::from_micros;
        let connection = Timer::Connection(ConnectionId(1));
        let mut timers = Timers::default();
        timers.set(connection, Some(at(5)));
        timers.set(Timer::Token, Some(at(3)));
        timers.set(connection, Some(at(1)));
        timers.set(Timer::Token, None);
        assert_eq!(timers.next(), Some(at(1)));
        assert_eq!(timers.pop_due(at(0)), None);
        assert_eq!(timers.pop_due(at(9)), Some(connection));
        assert_eq!(timers.pop_due(at(9)), None);
    }
}
