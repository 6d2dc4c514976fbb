//! When certificates are valid.

use jiff::Timestamp;
use x509_cert::time::Time;

/// When a certificate is valid: from the first instant to the second, in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The first second of validity.
    pub not_before: Timestamp,
    /// The last one, which counts to its end.
    pub not_after: Timestamp,
}

impl Validity {
    /// When both are valid.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        Self {
            not_before: self.not_before.max(other.not_before),
            not_after: self.not_after.min(other.not_after),
        }
    }

    /// From the beginning of the earlier to the end of the later.
    #[must_use]
    pub fn spanning(self, other: Self) -> Self {
        Self {
            not_before: self.not_before.min(other.not_before),
            not_after: self.not_after.max(other.not_after),
        }
    }

    /// Whether `at` lies within the validity, both seconds included.
    pub fn contains(&self, at: Timestamp) -> bool {
        (self.not_before.as_second()..=self.not_after.as_second()).contains(&at.as_second())
    }
}

/// The instant that a time in a certificate stands for.
pub(super) fn instant(time: Time) -> Timestamp {
    // Both forms of time end before the year 10000, which `Timestamp` also covers.
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}
