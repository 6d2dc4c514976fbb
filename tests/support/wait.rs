//! Waiting for conditions, always with a deadline.

use std::thread;
use std::time::{Duration, Instant};

/// How long something may take that ordinarily takes a fraction of a second.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Time between two looks at a condition.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until there is something to see, for at most `deadline`.
///
/// # Errors
///
/// Answers what was last seen instead.
pub fn until<T, S>(deadline: Duration, mut look: impl FnMut() -> Result<T, S>) -> Result<T, S> {
    let start = Instant::now();
    loop {
        match look() {
            Ok(seen) => return Ok(seen),
            Err(last) if start.elapsed() >= deadline => return Err(last),
            Err(_) => thread::park_timeout(PAUSE),
        }
    }
}
