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
