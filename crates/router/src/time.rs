//! Instants and the durations between them.

use std::time::Duration;

use portcullis_domain::clock::{SignedDuration, Timestamp, later};

/// The instant that lies `duration` after `instant`.
pub(crate) fn after(instant: Timestamp, duration: Duration) -> Timestamp {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    later(instant, duration)
}

/// What has passed from `earlier` to `now`; nothing if the clock went back.
pub(crate) fn since(earlier: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(earlier)).unwrap_or_default()
}
