//! The part of a terminator's cost that follows from its use.

use portcullis_channel::Moment;
use std::time::Duration;

/// Cost of each open circuit.
const CIRCUIT_COST: u32 = 2;
/// What a failed dial adds.
const FAILURE_COST: u32 = 20;
/// What a successful dial takes away from the cost of failures.
const SUCCESS_CREDIT: u32 = 2;
/// What each minute takes away from the cost of failures, in the first five minutes after the last one.
const DECAY: u32 = 10;
const DECAY_INTERVAL: Duration = Duration::from_mins(1);
/// The decay doubles whenever this time has passed since the last failure.
const DOUBLING_INTERVAL: Duration = Duration::from_mins(5);

/// Cost of open circuits and of failed dials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DynamicCost {
    circuits: u32,
    failures: u32,
    last_failure: Moment,
    /// When the cost of failures shrinks next, if there is any.
    next_decay: Moment,
}

impl DynamicCost {
    pub(super) const fn open(&mut self) {
        self.circuits = self.circuits.saturating_add(1);
    }

    pub(super) const fn close(&mut self) {
        self.circuits = self.circuits.saturating_sub(1);
    }

    pub(super) fn fail(&mut self, now: Moment) {
        self.decay(now);
        if self.failures == 0 {
            self.next_decay = now + DECAY_INTERVAL;
        }
        self.failures = (self.failures + FAILURE_COST).min(u32::from(u16::MAX));
        self.last_failure = now;
    }

    pub(super) fn succeed(&mut self, now: Moment) {
        self.decay(now);
        self.failures = self.failures.saturating_sub(SUCCESS_CREDIT);
    }

    /// The number of open circuits, and what failures cost now.
    pub(super) fn parts(mut self, now: Moment) -> (u32, u32) {
        self.decay(now);
        (self.circuits, self.failures)
    }

    pub(super) fn total(self, now: Moment) -> u16 {
        let (circuits, failures) = self.parts(now);
        let total = circuits
            .saturating_mul(CIRCUIT_COST)
            .saturating_add(failures);
        u16::try_from(total).unwrap_or(u16::MAX)
    }

    fn decay(&mut self, now: Moment) {
        while self.failures > 0 && self.next_decay <= now {
            let age = self.next_decay.since(self.last_failure);
            let doublings = age.as_secs() / DOUBLING_INTERVAL.as_secs();
            let credit = u32::try_from(doublings)
                .ok()
                .and_then(|doublings| DECAY.checked_mul(1_u32.checked_shl(doublings)?))
                .unwrap_or(u32::MAX);
            self.failures = self.failures.saturating_sub(credit);
            self.next_decay = self.next_decay + DECAY_INTERVAL;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn circuits_cost_two_and_failures_twenty() {
        let mut cost = DynamicCost::default();
        assert_eq!(cost.total(at(0)), 0);
        cost.open();
        assert_eq!(cost.total(at(0)), 2);
        cost.fail(at(0));
        assert_eq!(cost.total(at(0)), 22);
        cost.succeed(at(0));
        assert_eq!(cost.total(at(0)), 20);
        assert_eq!(cost.parts(at(0)), (1, 18));
        cost.close();
        cost.close();
        assert_eq!(cost.total(at(0)), 18);
        for _ in 0..20 {
            cost.succeed(at(0));
        }
        assert_eq!(cost.total(at(0)), 0);
    }

    #[test]
    fn the_cost_of_failures_shrinks_by_ten_a_minute_and_ever_faster() {
        let mut cost = DynamicCost::default();
        for _ in 0..50 {
            cost.fail(at(0));
        }
        // Seconds since the last failure, and what is left of 1000.
        for (seconds, left) in [
            (0, 1000),
            (59, 1000),
            (60, 990),
            (119, 990),
            (120, 980),
            (240, 960),
            (300, 940),
            (540, 860),
            (600, 820),
            (900, 580),
            (1140, 260),
            (1200, 100),
            (1260, 0),
            (1_000_000, 0),
        ] {
            assert_eq!(cost.total(at(seconds)), left, "after {seconds} s");
        }
    }

    #[test]
    fn minutes_are_counted_from_the_first_failure_and_doublings_from_the_last() {
        let mut cost = DynamicCost::default();
        for minute in 0..20 {
            cost.fail(at(minute * 60 + 30));
        }
        // Ten of each twenty were gone before the next came.
        assert_eq!(cost.total(at(19 * 60 + 30)), 210);
        assert_eq!(cost.total(at(20 * 60 + 30)), 200);
    }

    #[test]
    fn the_cost_has_a_maximum() {
        let mut cost = DynamicCost::default();
        for _ in 0..4000 {
            cost.fail(at(0));
            cost.open();
        }
        assert_eq!(cost.parts(at(0)), (4000, 65_535));
        assert_eq!(cost.total(at(0)), 65_535);
        assert_eq!(cost.total(at(100_000)), 8000);
    }
}
