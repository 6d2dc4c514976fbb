//! Throttling of TOTP attempts after wrong codes.

use portcullis_domain::clock::{SignedDuration, Timestamp, to_millisecond};
use portcullis_domain::mfa::WrongCodes;

/// The wrong codes of an identity, and the wait that follows from them.
///
/// Attempts are checked before anything else is known about them, so correct codes are throttled as
/// well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Throttle(Option<WrongCodes>);

/// The attempt came too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many wrong codes in a row")]
pub struct ThrottledError {
    /// Seconds until the next attempt is allowed, at least 1. At the cap it is
    /// [`Throttle::MAX_WAIT_SECONDS`], although waiting does not help then.
    pub retry_after: u32,
    /// State to be stored if the clock was set back: the wait restarts now, or it would last as
    /// long as the clock was wrong.
    pub rebased: Option<Throttle>,
}

impl Throttle {
    /// Consecutive wrong codes without a wait.
    pub const FREE_ATTEMPTS: u32 = 5;

    /// Consecutive wrong codes after which no attempt is allowed.
    pub const MAX_WRONG_CODES: u32 = 100;

    /// Maximum wait.
    pub const MAX_WAIT_SECONDS: u32 = 3600;

    /// Tolerated disorder between concurrent requests. A time before that of the newest wrong code
    /// counts as a clock set back only if it is further before it.
    const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(1);

    /// Checks whether an attempt is allowed at `now`.
    ///
    /// # Errors
    ///
    /// [`ThrottledError`] when it is too early, or the cap is reached.
    pub fn admit(&self, now: Timestamp) -> Result<(), ThrottledError> {
        let Some(wrong) = self.0 else {
            return Ok(());
        };
        if self.is_capped() {
            return Err(ThrottledError {
                retry_after: Self::MAX_WAIT_SECONDS,
                rebased: None,
            });
        }
        let wait = Self::wait_after(wrong.in_a_row);
        let waited = now.duration_since(wrong.last_at);
        let was_set_back = waited < -Self::CLOCK_TOLERANCE;
        match ceil_seconds(SignedDuration::from_secs(wait.into()) - waited).min(wait) {
            0 => Ok(()),
            retry_after => Err(ThrottledError {
                retry_after,
                rebased: was_set_back.then(|| Self::with_count(wrong.in_a_row, now)),
            }),
        }
    }

    /// Whether the cap is reached.
    pub fn is_capped(self) -> bool {
        self.0
            .is_some_and(|wrong| wrong.in_a_row >= Self::MAX_WRONG_CODES)
    }

    /// The state after a wrong code at `now`.
    #[must_use]
    pub fn after_wrong(self, now: Timestamp) -> Self {
        let before = self.0.map_or(0, |wrong| wrong.in_a_row);
        Self::with_count(before.saturating_add(1), now)
    }

    /// The state after a correct code, or after an administrator has removed the enrollment.
    #[must_use]
    pub fn after_right(self) -> Self {
        Self(None)
    }

    /// A state with `in_a_row` wrong codes, in the precision of the store.
    fn with_count(in_a_row: u32, now: Timestamp) -> Self {
        let last_at = to_millisecond(now);
        Self(Some(WrongCodes { in_a_row, last_at }))
    }

    /// The wait in seconds after so many consecutive wrong codes.
    fn wait_after(in_a_row: u32) -> u32 {
        let Some(doublings) = in_a_row.checked_sub(Self::FREE_ATTEMPTS) else {
            return 0;
        };
        let wait = 1_u32
            .checked_shl(doublings)
            .unwrap_or(Self::MAX_WAIT_SECONDS);
        wait.min(Self::MAX_WAIT_SECONDS)
    }
}

/// The seconds of `duration`, rounded up; 0 if it is negative.
fn ceil_seconds(duration: SignedDuration) -> u32 {
    let begun = i64::from(duration.subsec_nanos() > 0);
    u32::try_from(duration.as_secs().saturating_add(begun)).unwrap_or(0)
}

impl From<Option<WrongCodes>> for Throttle {
    fn from(wrong: Option<WrongCodes>) -> Self {
        Self(wrong)
    }
}

impl From<Throttle> for Option<WrongCodes> {
    fn from(throttle: Throttle) -> Self {
        throttle.0
    }
}

#[cfg(test)]
mod tests;
