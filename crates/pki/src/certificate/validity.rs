//! Validity periods of certificates.

use jiff::Timestamp;
use x509_cert::time::Time;

/// A validity period in whole seconds, bounds included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub not_before: Timestamp,
    pub not_after: Timestamp,
}

impl Validity {
    /// The period in which both are valid.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self {
            not_before: self.not_before.max(other.not_before),
            not_after: self.not_after.min(other.not_after),
        }
    }

    /// The period from the earlier start to the later end.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            not_before: self.not_before.min(other.not_before),
            not_after: self.not_after.max(other.not_after),
        }
    }

    /// Whether `at` is within the period, both bounds included.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.not_before.as_second() <= at.as_second() && !Self::has_ended(self.not_after, at)
    }

    /// Whether a period that ends at `not_after` is over at `at`. The second in which it ends is
    /// still part of it.
    pub fn has_ended(not_after: Timestamp, at: Timestamp) -> bool {
        at.as_second() > not_after.as_second()
    }

    /// The first instant at which a period is over that ends at `not_after`.
    pub fn end_of(not_after: Timestamp) -> Timestamp {
        let next = not_after.as_second().saturating_add(1);
        Timestamp::from_second(next).unwrap_or(Timestamp::MAX)
    }
}

/// Converts a time in a certificate.
pub(super) fn to_timestamp(time: Time) -> Timestamp {
    // Both time formats end before the year 10000, which `Timestamp` also covers.
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}
