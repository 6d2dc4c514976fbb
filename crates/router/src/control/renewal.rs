//! When a router asks for new certificates.

use std::time::Duration;

use portcullis_channel::group::{Backoff, Jitter};
use portcullis_domain::clock::Timestamp;

use crate::time::since;

/// A controller that cannot extend certificates does not answer, and may be able to soon.
const RETRIES: Backoff = Backoff {
    initial: Duration::from_secs(35),
    max: Duration::from_hours(1),
    jitter: Jitter::Half,
};

/// When the first of these certificates has a third of its time left. Each is given by the beginning and
/// the end of its validity.
pub fn renewal_due(
    validities: impl IntoIterator<Item = (Timestamp, Timestamp)>,
) -> Option<Timestamp> {
    let due = validities.into_iter().map(|(begin, end)| {
        let third = since(begin, end) / 3;
        crate::time::before(end, third)
    });
    due.min()
}

/// How long to wait after so many failures. `random` is any random number.
pub fn retry_pause(failures: u32, random: u32) -> Duration {
    RETRIES.delay(failures, random)
}
