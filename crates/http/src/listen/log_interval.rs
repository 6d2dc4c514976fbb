//! Lines of the log that strangers can cause, and so must not come as often as they like.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Least time between two lines.
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
    /// Whether a line may be written now; if so, how many were left out before it.
    pub(crate) fn may_log(&self) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        assert_eq!(interval.may_log(), Some(0));
        assert_eq!((interval.may_log(), interval.may_log()), (None, None));
        interval.0.lock().unwrap().last = Instant::now().checked_sub(INTERVAL);
        assert_eq!(interval.may_log(), Some(2));
    }
}
