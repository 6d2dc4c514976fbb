//! Backoff between attempts.

use std::time::Duration;

use portcullis_domain::entropy::{self, Entropy};
use portcullis_router_config::model::Backoff;

use crate::section_reader::{IncompleteConfigError, SectionReader};

const MIN_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_hours(24);

/// Growth of the pauses between attempts (`healthyDialBackoff`, `unhealthyDialBackoff`).
///
/// The first pause is the shortest. Each further pause is the previous one times the factor, which
/// varies randomly by up to a half, so that routers do not dial in step, but is never below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackoffPolicy {
    min: Duration,
    max: Duration,
    factor: f64,
}

/// A backoff policy is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackoffPolicyError {
    /// The shortest or the longest pause is out of bounds.
    #[error("a pause must be between 10ms and 24h")]
    Pause,
    /// The shortest pause is longer than the longest.
    #[error("the shortest pause must not be longer than the longest")]
    Order,
    /// The factor is out of bounds.
    #[error("the factor must be between 1 and 100")]
    Factor,
}

impl BackoffPolicy {
    /// Creates a policy with pauses from `min` to `max`, both between 10ms and 24h, that grow by
    /// `factor`, between 1 and 100.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use portcullis_router::links::{BackoffPolicy, BackoffPolicyError};
    ///
    /// let seconds = Duration::from_secs;
    /// assert!(BackoffPolicy::new(seconds(5), seconds(300), 1.5).is_ok());
    /// assert_eq!(BackoffPolicy::new(seconds(600), seconds(300), 1.5), Err(BackoffPolicyError::Order));
    /// ```
    pub fn new(min: Duration, max: Duration, factor: f64) -> Result<Self, BackoffPolicyError> {
        let bounds = MIN_PAUSE..=MAX_PAUSE;
        if !bounds.contains(&min) || !bounds.contains(&max) {
            return Err(BackoffPolicyError::Pause);
        }
        if min > max {
            return Err(BackoffPolicyError::Order);
        }
        if !(1.0..=100.0).contains(&factor) {
            return Err(BackoffPolicyError::Factor);
        }
        Ok(Self { min, max, factor })
    }

    /// The shortest pause.
    pub fn min(&self) -> Duration {
        self.min
    }

    /// The longest pause.
    pub fn max(&self) -> Duration {
        self.max
    }

    pub(super) fn from_config(
        config: &Backoff,
        section: &str,
    ) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new(section);
        let factor = config.retry_backoff_factor.as_ref();
        let policy = Self::new(
            reader.duration("minRetryInterval", config.min_retry_interval.as_ref())?,
            reader.duration("maxRetryInterval", config.max_retry_interval.as_ref())?,
            *reader.value("retryBackoffFactor", factor)?,
        );
        let key = |error| match error {
            BackoffPolicyError::Pause | BackoffPolicyError::Order => "minRetryInterval",
            BackoffPolicyError::Factor => "retryBackoffFactor",
        };
        policy.map_err(|error| reader.missing(key(error)))
    }

    /// The pause after one of `before`, which is zero for the first pause.
    pub(super) fn next_pause(&self, before: Duration, entropy: &dyn Entropy) -> Duration {
        let factor = (self.factor + random_fraction(entropy) - 0.5).max(1.0);
        let pause = Duration::try_from_secs_f64(before.as_secs_f64() * factor);
        pause.unwrap_or(self.max).clamp(self.min, self.max)
    }

    /// The shortest pause, and up to half of it more: many routers may be told at the same time to come again.
    pub(super) fn short_pause(&self, entropy: &dyn Entropy) -> Duration {
        let pause = self.min.mul_f64(1.0 + random_fraction(entropy) / 2.0);
        pause.min(self.max)
    }
}

/// A random number from 0 to below 1.
///
/// It only keeps routers out of step, so 0.5 is used without randomness.
fn random_fraction(entropy: &dyn Entropy) -> f64 {
    let drawn = entropy::bytes::<4>(entropy).map(u32::from_le_bytes);
    drawn.map_or(0.5, |drawn| f64::from(drawn) / (f64::from(u32::MAX) + 1.0))
}

/// One to four seconds, to separate two routers that dial each other at the same time.
pub(super) fn collision_delay(entropy: &dyn Entropy) -> Duration {
    let drawn = entropy::bytes::<1>(entropy).map_or(1, |[drawn]| drawn % 4);
    Duration::from_secs(u64::from(drawn) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::entropy::EntropyError;

    /// Returns the same byte forever, or fails.
    struct Always(Option<u8>);

    impl Entropy for Always {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(self.0.ok_or(EntropyError)?);
            Ok(())
        }
    }

    #[test]
    fn pauses_grow_from_the_shortest_to_the_longest() {
        let seconds = Duration::from_secs;
        let policy = BackoffPolicy::new(seconds(5), seconds(60), 2.0).unwrap();
        let cases = [
            (Some(0x00), [5.0, 7.5, 11.25, 16.875]),
            (Some(0x80), [5.0, 10.0, 20.0, 40.0]),
            (None, [5.0, 10.0, 20.0, 40.0]),
            (Some(0xff), [5.0, 12.5, 31.25, 60.0]),
        ];
        for (byte, expected) in cases {
            let mut pause = Duration::ZERO;
            for expected in expected {
                pause = policy.next_pause(pause, &Always(byte));
                let off = (pause.as_secs_f64() - expected).abs();
                assert!(
                    off <= expected / 100.0,
                    "{byte:?}: {pause:?}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn a_factor_never_makes_pauses_shorter() {
        let seconds = Duration::from_secs;
        let policy = BackoffPolicy::new(seconds(1), seconds(60), 1.0).unwrap();
        assert_eq!(
            policy.next_pause(seconds(10), &Always(Some(0))),
            seconds(10)
        );
    }

    #[test]
    fn pauses_are_bounded() {
        let second = Duration::from_secs(1);
        let short = Duration::from_millis(9);
        let long = Duration::from_millis(24 * 60 * 60 * 1000 + 1);
        let cases = [
            (short, second, 1.5, BackoffPolicyError::Pause),
            (second, long, 1.5, BackoffPolicyError::Pause),
            (second, short, 1.5, BackoffPolicyError::Pause),
            (second * 2, second, 1.5, BackoffPolicyError::Order),
            (second, second, 0.99, BackoffPolicyError::Factor),
            (second, second, 100.01, BackoffPolicyError::Factor),
            (second, second, f64::NAN, BackoffPolicyError::Factor),
        ];
        for (min, max, factor, expected) in cases {
            assert_eq!(BackoffPolicy::new(min, max, factor), Err(expected));
        }
        assert!(BackoffPolicy::new(MIN_PAUSE, MAX_PAUSE, 100.0).is_ok());
        assert!(BackoffPolicy::new(MAX_PAUSE, MAX_PAUSE, 1.0).is_ok());
    }

    #[test]
    fn sidesteps_are_one_to_four_seconds() {
        let drawn: Vec<_> = (0..=255)
            .map(|byte| collision_delay(&Always(Some(byte))).as_secs())
            .collect();
        for seconds in 1..=4 {
            let times = drawn.iter().filter(|drawn| **drawn == seconds).count();
            assert_eq!(times, 64, "{seconds}");
        }
        assert_eq!(collision_delay(&Always(None)).as_secs(), 2);
    }
}
