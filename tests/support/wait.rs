//! Polling for conditions, always with a deadline.

use std::thread;
use std::time::{Duration, Instant};

/// Timeout for things that usually take a fraction of a second.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// Interval between polls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Polls `condition` until it succeeds, for at most `deadline`.
///
/// # Errors
///
/// The last error of the condition.
pub fn until<T, S>(
    deadline: Duration,
    mut condition: impl FnMut() -> Result<T, S>,
) -> Result<T, S> {
    let start = Instant::now();
    loop {
        match condition() {
            Ok(seen) => return Ok(seen),
            Err(last) if start.elapsed() >= deadline => return Err(last),
            Err(_) => thread::park_timeout(POLL_INTERVAL),
        }
    }
}
