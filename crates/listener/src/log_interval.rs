//! Rate limit of log lines that strangers can cause.

use parking_lot::Mutex;
use std::time::Duration;

use tokio::time::Instant;

/// Shortest time between two lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Lets one line through in ten seconds, and counts the others.
#[derive(Debug, Default)]
pub(crate) struct LogInterval(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last: Option<Instant>,
    unlogged: u64,
}

impl LogInterval {
    /// Returns the number of suppressed lines if a line may be written now.
    pub(crate) fn try_acquire(&self) -> Option<u64> {
        let mut state = self.0.lock();
        if state.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            state.unlogged += 1;
            return None;
        }
        state.last = Some(Instant::now());
        Some(std::mem::take(&mut state.unlogged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_stands_for_many() {
        let interval = LogInterval::default();
        assert_eq!(interval.try_acquire(), Some(0));
        assert_eq!(
            (interval.try_acquire(), interval.try_acquire()),
            (None, None)
        );
        interval.0.lock().last = Instant::now().checked_sub(INTERVAL);
        assert_eq!(interval.try_acquire(), Some(2));
    }
}
