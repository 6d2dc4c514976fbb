//! The wall clock as a port.

pub use jiff::{SignedDuration, Timestamp};

/// Tells the time.
///
/// Nothing in the domain asks the operating system for the time, so a program that embeds it, or a
/// test, decides what "now" is.
pub trait Clock: Send + Sync {
    /// Returns the present instant, UTC.
    fn now(&self) -> Timestamp;
}

/// Cuts `instant` to whole milliseconds, the resolution in which instants are stored and shown.
///
/// # Examples
///
/// ```
/// use portcullis_domain::clock::{Timestamp, to_millisecond};
///
/// let precise = Timestamp::new(5, 123_456_789).unwrap();
/// assert_eq!(to_millisecond(precise), Timestamp::new(5, 123_000_000).unwrap());
/// ```
pub fn to_millisecond(instant: Timestamp) -> Timestamp {
    // A valid instant cut to milliseconds stays in range, so the fallback is never taken.
    Timestamp::from_millisecond(instant.as_millisecond()).unwrap_or(instant)
}

/// The last instant that is stored and shown: the last whole second that [`Timestamp`] holds, at the
/// end of the year 9999.
pub const LATEST: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// The instant that lies `duration` after `instant`, or [`LATEST`] if that comes before it.
///
/// # Examples
///
/// ```
/// use portcullis_domain::clock::{LATEST, SignedDuration, Timestamp, later};
///
/// let noon = Timestamp::new(43_200, 0).unwrap();
/// assert_eq!(later(noon, SignedDuration::from_hours(1)).as_second(), 46_800);
/// assert_eq!(later(noon, SignedDuration::MAX), LATEST);
/// ```
pub fn later(instant: Timestamp, duration: SignedDuration) -> Timestamp {
    instant
        .checked_add(duration)
        .map_or(LATEST, |instant| instant.min(LATEST))
}
