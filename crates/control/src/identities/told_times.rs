//! Which connections of an identity were told already.

use std::collections::VecDeque;

/// Times that are remembered.
const MAX_TIMES: usize = 16;

/// When the connections were that were told last, in milliseconds since 1970 by the clock of their router. That may be
/// set back, so that a later connection has an earlier time.
#[derive(Debug, Clone, Default)]
pub(super) struct ToldTimes(VecDeque<i64>);

impl ToldTimes {
    /// Whether a connection was told already. A router that tells all connections again tells more than are remembered,
    /// perhaps: the earliest are those that were told then.
    pub(super) fn has(&self, millis: i64, is_told_again: bool) -> bool {
        let is_full = self.0.len() >= MAX_TIMES;
        let may_be_forgotten = is_told_again && is_full;
        self.0.contains(&millis) || may_be_forgotten && self.0.iter().all(|known| millis < *known)
    }

    pub(super) fn add(&mut self, millis: i64) {
        if self.0.contains(&millis) {
            return;
        }
        if self.0.len() >= MAX_TIMES {
            self.0.pop_front();
        }
        self.0.push_back(millis);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(times: impl IntoIterator<Item = i64>) -> ToldTimes {
        let mut told = ToldTimes::default();
        times.into_iter().for_each(|time| told.add(time));
        told
    }

    #[test]
    fn times_of_a_clock_that_was_set_back_are_new() {
        let told = told([3_000, 2_000]);
        assert!(told.has(2_000, true) && told.has(3_000, false));
        assert!(
            [1_000, 2_500, 4_000]
                .iter()
                .all(|time| !told.has(*time, true))
        );
        let many = self::told(1_000..2_000);
        assert!(!many.has(10, false) && many.has(10, true));
    }

    #[test]
    fn nothing_of_many_is_told_twice() {
        let told = told(0..1000);
        assert!((0..1000).all(|time| told.has(time, true)));
        assert!(!told.has(1000, true));
        assert_eq!(told.0.len(), MAX_TIMES);
    }
}
