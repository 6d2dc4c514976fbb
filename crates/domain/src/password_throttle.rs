//! Wrong passwords, and how long they make one wait (NIST SP 800-63B section 5.2.2).
//!
//! Two counts slow down who guesses at the password of one identity. Each source has one of its own.
//! All sources from which nobody has logged in lately share another, so that guesses from a thousand
//! addresses are as slow as from a few. Neither disables the identity: a source from which it logged in
//! lately waits for its own wrong passwords alone, whatever strangers do; and of unknown sources those
//! that gave no wrong password yet come before those that did.

mod sources;
mod spent;

use crate::clock::{SignedDuration, Timestamp, to_millisecond};
use serde::{Deserialize, Serialize};
use sources::Sources;
use spent::SpentSources;
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

/// Wrong passwords of unknown sources after which a source that gave one may try once a day, unless so
/// many cost nothing that the waits have not begun by then.
const CAP_TOGETHER: u32 = 100;

/// At least so many wrong passwords of unknown sources make ever longer waits before the cap is reached.
const BELOW_CAP: u32 = 20;

/// The wait beyond the cap.
const CAPPED_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// Each time that nobody gave a wrong password for so long, one is forgotten: no pauses yield more
/// attempts than one in this time.
const ONE_FORGOTTEN_PER: SignedDuration = SignedDuration::from_hours(24);

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

impl ThrottleRules {
    /// Wrong passwords in a row from unknown sources that cost nothing.
    fn free_together(self) -> u32 {
        self.free_attempts.saturating_mul(FREE_TOGETHER)
    }

    /// Wrong passwords in a row from which on unknown sources that gave one wait longest. More of them
    /// change nothing, and are not counted.
    fn cap_together(self) -> u32 {
        let begun = self.free_together().saturating_add(BELOW_CAP);
        begun.max(CAP_TOGETHER)
    }
}

/// What is remembered of the attempts at one password.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordThrottle {
    /// Wrong passwords of all sources that were unknown when they gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unknown: Option<WrongPasswords>,
    /// The unknown sources that these came from.
    #[serde(default, skip_serializing_if = "SpentSources::is_empty")]
    spent: SpentSources,
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
            .map(|wrong| {
                let wait = self.spent.wait(address, wrong.wait_together(rules));
                wrong.still_to_wait(wait, now)
            });
        match own.max(together).unwrap_or_default() {
            0 => Ok(()),
            retry_after => Err(Throttled { retry_after }),
        }
    }

    /// Counts a wrong password from `address`.
    pub fn note_wrong(&mut self, address: IpAddr, rules: ThrottleRules, now: Timestamp) {
        if !self.sources.is_known(address, now) {
            self.spent
                .forget(self.unknown.map_or(0, |wrong| wrong.forgotten(now)));
            self.spent.add(address);
            self.unknown = Some(WrongPasswords::one_more(self.unknown, rules, now));
        }
        self.sources.note_wrong(address, rules, now);
    }

    /// Begins the count of `address` anew, which gave the right password, and knows it from then on.
    /// If it was unknown, so does the count of all that are. Sources that gave a wrong password stay
    /// behind the others: whoever logs in from many places does not give those who guess a new start.
    pub fn note_right(&mut self, address: IpAddr, now: Timestamp) {
        if !self.sources.is_known(address, now) {
            self.spent.remove(address);
            self.unknown = self.unknown.filter(|_| !self.spent.is_empty());
            if let Some(wrong) = &mut self.unknown {
                wrong.in_a_row = 0;
            }
        }
        self.sources.note_right(address, now);
    }

    /// Whether `address` is unknown, and would have to wait for that.
    pub fn is_slowed_as_unknown(
        &self,
        address: IpAddr,
        rules: ThrottleRules,
        now: Timestamp,
    ) -> bool {
        !self.sources.is_known(address, now)
            && self
                .unknown
                .is_some_and(|wrong| wrong.in_a_row >= rules.free_together())
    }

    /// Knows `address`, of which something else than these counts tells that it gave the right
    /// password at `right_at`.
    pub fn recall_right(&mut self, address: IpAddr, right_at: Timestamp, now: Timestamp) {
        self.sources.recall_right(address, right_at, now);
    }

    /// Begins all counts anew: the password that was guessed at is no longer the password.
    pub fn forget_wrong(&mut self) {
        self.unknown = None;
        self.spent = SpentSources::default();
        self.sources.forget_wrong();
    }
}

impl WrongPasswords {
    /// After one more wrong password, apart from what is forgotten of those before.
    fn one_more(before: Option<Self>, rules: ThrottleRules, now: Timestamp) -> Self {
        let before = before.map_or(0, |wrong| {
            wrong.in_a_row.saturating_sub(wrong.forgotten(now))
        });
        Self {
            in_a_row: before.saturating_add(1).min(rules.cap_together()),
            last_at: to_millisecond(now),
        }
    }

    /// How many wrong passwords have been forgotten since the last one.
    fn forgotten(self, now: Timestamp) -> u32 {
        let quiet = now.duration_since(self.last_at).as_secs().max(0);
        u32::try_from(quiet / ONE_FORGOTTEN_PER.as_secs()).unwrap_or(u32::MAX)
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

    /// The wait of unknown sources that gave a wrong password.
    fn wait_together(self, rules: ThrottleRules) -> SignedDuration {
        if self.in_a_row >= rules.cap_together() {
            return CAPPED_WAIT.max(rules.longest_wait);
        }
        doubling(self.in_a_row, rules.free_together(), rules.longest_wait)
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
