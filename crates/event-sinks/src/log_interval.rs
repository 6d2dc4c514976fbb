//! How often the log says the same of a sink.

use std::time::Duration;

/// Shortest time between two lines of the log that say the same of a sink.
pub(crate) const LOG_INTERVAL: Duration = Duration::from_mins(1);
