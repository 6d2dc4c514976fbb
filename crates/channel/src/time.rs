//! Time as passed by the caller: this crate reads no clock.

use std::ops::Add;
use std::time::Duration;

/// An instant on a monotonic clock, in microseconds since the start of the program (or simulation).
///
/// Unlike [`std::time::Instant`] it starts at zero, can be printed and constructed in tests, and its
/// arithmetic saturates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// The start.
    pub const ZERO: Self = Self(0);

    /// The instant this many microseconds after the start.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since the start.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// The time elapsed since `earlier`; zero if that is in the future.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(micros))
    }
}

/// Wall clock time in nanoseconds since 1970, as heartbeats contain it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixNanos(pub u64);

/// The current time on both clocks.
///
/// Deadlines and latencies depend on the monotonic clock only; the wall clock is only written into
/// heartbeats, so setting it has no effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Now {
    /// Monotonic: never less than in an earlier call.
    pub mono: Moment,
    /// May jump forwards and backwards.
    pub wall: UnixNanos,
}
