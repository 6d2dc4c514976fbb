//! Rate limit of lines in the log.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Shortest time between two lines.
const INTERVAL: Duration = Duration::from_mins(1);

/// Lets one line through a minute.
#[derive(Debug, Default)]
pub(crate) struct LogInterval(Mutex<Option<Instant>>);

impl LogInterval {
    /// Whether a line may be written now.
    pub(crate) fn try_acquire(&self) -> bool {
        let mut last = self.0.lock();
        if last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return false;
        }
        *last = Some(Instant::now());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_minute() {
        let interval = LogInterval::default();
        assert!(interval.try_acquire());
        assert!(!interval.try_acquire());
        *interval.0.lock() = Instant::now().checked_sub(INTERVAL);
        assert!(interval.try_acquire());
    }
}
