//! How long wrong codes make one wait.

use portcullis_domain::clock::{SignedDuration, Timestamp, to_millisecond};
use portcullis_domain::mfa::WrongCodes;

/// The wrong codes of an identity, and what they do to the next attempt.
///
/// Whether an attempt is admitted is asked before anything else is known about it, so a right code
/// is held like a wrong one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Throttle(Option<WrongCodes>);

/// An attempt came too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many wrong codes in a row")]
pub struct Held {
    /// Seconds after which the next attempt is worth it, at least 1. At the cap it is
    /// [`Throttle::LONGEST_WAIT`], although waiting does not help then.
    pub retry_after: u32,
    /// What has to be stored, when the clock was set back: the wait begins again at the present, or
    /// it would last for as long as the clock was wrong.
    pub rebased: Option<Throttle>,
}

impl Throttle {
    /// Wrong codes in a row that cost nothing.
    pub const FREE: u32 = 5;

    /// Wrong codes in a row after which no attempt is admitted.
    pub const CAP: u32 = 100;

    /// The longest wait, seconds.
    pub const LONGEST_WAIT: u32 = 3600;

    /// How far apart the clocks of requests that run side by side may be. An instant before that of
    /// the newest wrong code is no sign of a clock set back, as long as it is no further before it.
    const DISORDER: SignedDuration = SignedDuration::from_secs(1);

    /// Whether an attempt may be made at `now`.
    ///
    /// # Errors
    ///
    /// [`Held`] when it is too early, or for good.
    pub fn admit(&self, now: Timestamp) -> Result<(), Held> {
        let Some(wrong) = self.0 else {
            return Ok(());
        };
        if self.is_capped() {
            return Err(Held {
                retry_after: Self::LONGEST_WAIT,
                rebased: None,
            });
        }
        let wait = Self::wait_after(wrong.in_a_row);
        let waited = now.duration_since(wrong.last_at);
        let was_set_back = waited < -Self::DISORDER;
        match whole_seconds(SignedDuration::from_secs(wait.into()) - waited).min(wait) {
            0 => Ok(()),
            retry_after => Err(Held {
                retry_after,
                rebased: was_set_back.then(|| Self::counted(wrong.in_a_row, now)),
            }),
        }
    }

    /// Whether the cap is reached, so that no attempt is admitted any more.
    pub fn is_capped(self) -> bool {
        self.0.is_some_and(|wrong| wrong.in_a_row >= Self::CAP)
    }

    /// After a wrong code at `now`.
    #[must_use]
    pub fn after_wrong(self, now: Timestamp) -> Self {
        let before = self.0.map_or(0, |wrong| wrong.in_a_row);
        Self::counted(before.saturating_add(1), now)
    }

    /// After a right code, or when an administrator has removed the enrollment.
    #[must_use]
    pub fn after_right(self) -> Self {
        Self(None)
    }

    /// `in_a_row` wrong codes, as they are stored.
    fn counted(in_a_row: u32, now: Timestamp) -> Self {
        let last_at = to_millisecond(now);
        Self(Some(WrongCodes { in_a_row, last_at }))
    }

    /// How long an attempt has to wait after so many wrong codes in a row, seconds.
    fn wait_after(in_a_row: u32) -> u32 {
        let Some(doublings) = in_a_row.checked_sub(Self::FREE) else {
            return 0;
        };
        let wait = 1_u32.checked_shl(doublings).unwrap_or(Self::LONGEST_WAIT);
        wait.min(Self::LONGEST_WAIT)
    }
}

/// The seconds of `duration`, rounded up; none of a negative one.
fn whole_seconds(duration: SignedDuration) -> u32 {
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
