//! The wall clock as a port.

pub use jiff::{SignedDuration, Timestamp};

/// Source of the current time.
///
/// The domain never reads the system clock itself, so an embedding program or a test controls the
/// time.
pub trait Clock: Send + Sync {
    /// The current instant, UTC.
    fn now(&self) -> Timestamp;
}

/// Truncates `instant` to milliseconds, the resolution of stored and displayed instants.
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
    // A truncated valid instant stays in range, so the fallback is never used.
    Timestamp::from_millisecond(instant.as_millisecond()).unwrap_or(instant)
}

/// The largest instant that is stored and displayed: the last whole second of [`Timestamp`], at the
/// end of the year 9999.
pub const MAX_TIMESTAMP: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// Adds `duration` to `instant`, saturating at [`MAX_TIMESTAMP`].
///
/// # Examples
///
/// ```
/// use portcullis_domain::clock::{MAX_TIMESTAMP, SignedDuration, Timestamp, saturating_add};
///
/// let noon = Timestamp::new(43_200, 0).unwrap();
/// assert_eq!(saturating_add(noon, SignedDuration::from_hours(1)).as_second(), 46_800);
/// assert_eq!(saturating_add(noon, SignedDuration::MAX), MAX_TIMESTAMP);
/// ```
pub fn saturating_add(instant: Timestamp, duration: SignedDuration) -> Timestamp {
    instant
        .checked_add(duration)
        .map_or(MAX_TIMESTAMP, |instant| instant.min(MAX_TIMESTAMP))
}
