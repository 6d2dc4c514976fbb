//! Arithmetic with instants and durations.

use std::time::Duration;

use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_yaml::syntax::GoDuration;

/// The instant `duration` after `instant`.
pub(crate) fn after(instant: Timestamp, duration: Duration) -> Timestamp {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    saturating_add(instant, duration)
}

/// The time from `earlier` to `now`; zero if the clock went back.
pub(crate) fn since(earlier: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(earlier)).unwrap_or_default()
}

/// The instant `duration` before `instant`.
pub(crate) fn before(instant: Timestamp, duration: Duration) -> Timestamp {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    saturating_add(instant, -duration)
}

/// A duration in Go's notation, as those who read JSON of routers expect it.
pub fn in_go(duration: Duration) -> GoDuration {
    GoDuration::from_nanoseconds(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
}
