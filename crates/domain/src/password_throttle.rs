//! Wrong passwords, and how long they make one wait (NIST SP 800-63B section 5.2.2).
//!
//! Two counts slow down who guesses at the password of one identity. Each source has one of its own.
//! All sources from which nobody has logged in lately share another, so that guesses from a thousand
//! addresses are as slow as from a few. Neither disables the identity: a source from which it logged in
//! lately waits for its own wrong passwords alone, whatever strangers do.

mod sources;

use crate::clock::{SignedDuration, Timestamp, to_millisecond};
use serde::{Deserialize, Serialize};
use sources::Sources;
use std::net::IpAddr;

/// How wrong passwords are slowed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThrottleRules {
    /// Wrong passwords in a row from one source that cost nothing.
    pub free_attempts: u32,
    /// The longest that a source waits for its own wrong passwords. The wait begins with a second, and
    /// doubles with each wrong password.
    pub longest_wait: SignedDuration,
}

/// How many times as many wrong passwords cost nothing when they come from many sources.
const FREE_TOGETHER: u32 = 4;

/// Wrong passwords of unknown sources after which these may try once a day: from then on the owner
/// alone, from where it logged in before, has more than one attempt.
const CAP_TOGETHER: u32 = 100;

/// The wait of unknown sources beyond that.
const CAPPED_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// How long unknown sources have to be quiet until their wrong passwords are forgotten.
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How much later than it was made an attempt may be judged, while it waits for a hash, for the keys of
/// a signer or for the store. Meanwhile others may be counted that were made after it, and that is no
/// sign of a clock set back.
const DISORDER: SignedDuration = SignedDuration::from_mins(1);

impl Default for ThrottleRules {
    fn default() -> Self {
        Self {
            free_attempts: 5,
            longest_wait: SignedDuration::from_hours(1),
        }
    }
}

/// What is remembered of the attempts at one password.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordThrottle {
    /// Wrong passwords of all sources that were unknown when they gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unknown: Option<WrongPasswords>,
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    sources: Sources,
}

/// Wrong passwords in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct WrongPasswords {
    in_a_row: u32,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    last_at: Timestamp,
}

/// An attempt came too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many wrong passwords in a row")]
pub struct Throttled {
    /// Seconds after which the next attempt is worth it, at least 1.
    pub retry_after: u32,
}

impl PasswordThrottle {
    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an attempt from `address` counts at `now`. It is asked before anything is known about
    /// the password, so a right one waits like a wrong one.
    ///
    /// # Errors
    ///
    /// [`Throttled`] when it comes too early.
    pub fn admit(
        &self,
        address: IpAddr,
        rules: ThrottleRules,
        now: Timestamp,
    ) -> Result<(), Throttled> {
        let own = self.sources.wrong(address).map(|wrong| {
            let wait = doubling(wrong.in_a_row, rules.free_attempts, rules.longest_wait);
            wrong.still_to_wait(wait, now)
        });
        let together = self
            .unknown
            .filter(|_| !self.sources.is_known(address, now))
            .map(|wrong| wrong.still_to_wait(wrong.wait_together(rules), now));
        match own.max(together).unwrap_or_default() {
            0 => Ok(()),
            retry_after => Err(Throttled { retry_after }),
        }
    }

    /// Counts a wrong password from `address`.
    pub fn note_wrong(&mut self, address: IpAddr, now: Timestamp) {
        if !self.sources.is_known(address, now) {
            self.unknown = Some(WrongPasswords::one_more(self.unknown, now));
        }
        self.sources.note_wrong(address, now);
    }

    /// Begins the count of `address` anew, which gave the right password, and knows it from then on.
    /// If it was unknown, so does the count of all that are.
    pub fn note_right(&mut self, address: IpAddr, now: Timestamp) {
        if !self.sources.is_known(address, now) {
            self.unknown = None;
        }
        self.sources.note_right(address, now);
    }

    /// Begins all counts anew: the password that was guessed at is no longer the password.
    pub fn forget_wrong(&mut self) {
        self.unknown = None;
        self.sources.forget_wrong();
    }
}

impl WrongPasswords {
    /// After one more wrong password, unless those before are forgotten.
    fn one_more(before: Option<Self>, now: Timestamp) -> Self {
        let before = before.filter(|wrong| !wrong.is_forgotten(now));
        Self {
            in_a_row: before.map_or(0, |wrong| wrong.in_a_row).saturating_add(1),
            last_at: to_millisecond(now),
        }
    }

    fn is_forgotten(self, now: Timestamp) -> bool {
        now.duration_since(self.last_at) >= FORGOTTEN_AFTER
    }

    /// Seconds of `wait` that are not over, rounded up.
    ///
    /// An instant that lies further ahead says that the clock was set back. That is worth one attempt, from
    /// which the wait counts again; otherwise it would last for as long as the clock was wrong.
    fn still_to_wait(self, wait: SignedDuration, now: Timestamp) -> u32 {
        let waited = now.duration_since(self.last_at);
        if waited < -DISORDER {
            return 0;
        }
        let rest = (wait - waited).max(SignedDuration::ZERO);
        let begun = i64::from(rest.subsec_nanos() > 0);
        u32::try_from(rest.as_secs() + begun).unwrap_or(u32::MAX)
    }

    /// The wait of all unknown sources.
    fn wait_together(self, rules: ThrottleRules) -> SignedDuration {
        if self.in_a_row >= CAP_TOGETHER {
            return CAPPED_WAIT.max(rules.longest_wait);
        }
        let free = rules.free_attempts.saturating_mul(FREE_TOGETHER);
        doubling(self.in_a_row, free, rules.longest_wait)
    }
}

/// The wait after so many wrong passwords in a row, `free` of which cost nothing.
fn doubling(in_a_row: u32, free: u32, longest: SignedDuration) -> SignedDuration {
    let Some(doublings) = in_a_row.checked_sub(free) else {
        return SignedDuration::ZERO;
    };
    SignedDuration::from_secs(1 << doublings.min(40)).min(longest)
}

#[cfg(test)]
mod tests;
