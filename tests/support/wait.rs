//! Polling for conditions, always with a deadline.

use std::thread;
use std::time::{Duration, Instant};

/// Timeout for things that usually take a fraction of a second.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// Interval between polls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long a prompt takes until it hides what is typed.
const HIDING_TIME: Duration = Duration::from_millis(300);

/// Waits a moment after a prompt is shown: one that hides what is typed throws away what was typed before it does so,
/// and nothing tells when that is.
pub fn for_prompt_to_hide() {
    let start = Instant::now();
    while start.elapsed() < HIDING_TIME {
        thread::park_timeout(HIDING_TIME);
    }
}

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
