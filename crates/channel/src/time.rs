//! Time as it is handed in: the machines of this crate read no clock.

use std::ops::Add;
use std::time::Duration;

/// An instant on a monotonic clock, in microseconds since the program (or a simulation) began.
///
/// Unlike [`std::time::Instant`] it starts at zero, prints, can be written down in a test, and its
/// arithmetic saturates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// The beginning.
    pub const ZERO: Self = Self(0);

    /// The instant that lies so many microseconds after the beginning.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since the beginning.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// The time that has passed since `earlier`; zero if that lies in the future.
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

/// The wall clock in nanoseconds since 1970, which is what heartbeats carry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixNanos(pub u64);

/// The present instant on both clocks.
///
/// Deadlines and latencies are judged by the monotonic clock alone; the wall clock is only written
/// into heartbeats, so setting it disturbs nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Now {
    /// Monotonic: never smaller than in an earlier call.
    pub mono: Moment,
    /// May be set forwards and backwards.
    pub wall: UnixNanos,
}
