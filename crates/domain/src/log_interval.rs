//! Rate limit of a log line that would say the same again and again.

use std::time::{Duration, Instant};

/// Lets one line through in an interval, and counts the others.
#[derive(Debug)]
pub struct LogInterval {
    interval: Duration,
    last: Option<Instant>,
    unlogged: u64,
}

impl LogInterval {
    /// `interval` is the shortest time between two lines.
    pub const fn new(interval: Duration) -> Self {
        Self {
            interval,
            last: None,
            unlogged: 0,
        }
    }

    /// Returns the number of lines that were held back since the last one, if a line may be written now.
    pub fn try_acquire(&mut self, now: Instant) -> Option<u64> {
        let is_early = |last| now.saturating_duration_since(last) < self.interval;
        if self.last.is_some_and(is_early) {
            self.unlogged += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.unlogged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_stands_for_many() {
        let start = Instant::now();
        let mut interval = LogInterval::new(Duration::from_secs(10));
        let mut lines = |second| interval.try_acquire(start + Duration::from_secs(second));
        assert_eq!(lines(0), Some(0));
        assert_eq!([lines(0), lines(9)], [None; 2]);
        assert_eq!(lines(10), Some(2));
        assert_eq!(lines(19), None);
        assert_eq!(lines(50), Some(1));
    }
}
