//! Factors of options.

use std::time::Duration;

const ONE: u64 = 1_000_000;

/// A factor of at most 1000, in millionths: whole numbers, so that every machine computes the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor {
    millionths: u32,
}

impl Factor {
    const MAX: Self = Self::from_millionths(1_000_000_000);

    pub const fn from_millionths(millionths: u32) -> Self {
        Self { millionths }
    }

    /// `None` if it is negative, above 1000, or not a number.
    pub fn from_f64(factor: f64) -> Option<Self> {
        // A duration of as many seconds has as many microseconds as the factor has millionths.
        let duration = Duration::try_from_secs_f64(factor).ok()?;
        let millionths = u32::try_from(duration.as_micros()).ok()?;
        Some(Self { millionths }).filter(|factor| *factor <= Self::MAX)
    }

    pub fn to_f64(self) -> f64 {
        f64::from(self.millionths) / 1e6
    }

    pub(crate) const fn saturating_add(self, other: Self) -> Self {
        Self::from_millionths(self.millionths.saturating_add(other.millionths))
    }

    pub(crate) const fn saturating_sub(self, other: Self) -> Self {
        Self::from_millionths(self.millionths.saturating_sub(other.millionths))
    }

    /// This many times `number`.
    pub(crate) fn of(self, number: u64) -> u64 {
        number.saturating_mul(u64::from(self.millionths)) / ONE
    }

    /// This many times `duration`, in whole microseconds.
    pub(crate) fn of_duration(self, duration: Duration) -> Duration {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.of(micros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_those_of_the_file() {
        for (factor, millionths) in [(1.5, 1_500_000), (0.75, 750_000), (0.0, 0)] {
            let expected = Some(Factor::from_millionths(millionths));
            assert_eq!(Factor::from_f64(factor), expected);
        }
        for factor in [-0.1, 1000.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Factor::from_f64(factor), None);
        }
    }

    #[test]
    fn products_are_rounded_down_and_saturate() {
        let half = Factor::from_millionths(500_000);
        assert_eq!(half.of(7), 3);
        assert_eq!(
            half.of_duration(Duration::from_millis(3)).as_micros(),
            1_500
        );
        assert_eq!(Factor::MAX.of(u64::MAX), u64::MAX / ONE);
    }
}
