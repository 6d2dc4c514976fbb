//! Throttling of password attempts (NIST SP 800-63B section 5.2.2).
//!
//! Two counters slow down guessing at the password of one identity. Each source has its own, and
//! all sources without a recent login share another, so that guesses from a thousand addresses are
//! as slow as from a few. Neither disables the identity: a source with a recent login waits only
//! for its own wrong passwords, and among unknown sources those without a wrong password so far
//! come first.

mod sources;
mod spent_sources;

use crate::clock::{SignedDuration, Timestamp, to_millisecond};
use serde::{Deserialize, Serialize};
use sources::Sources;
use spent_sources::SpentSources;
use std::net::IpAddr;

/// Configuration of the password throttle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThrottleRules {
    /// Consecutive wrong passwords per source without a wait.
    pub free_attempts: u32,
    /// Maximum wait of a source for its own wrong passwords. The wait starts at one second and
    /// doubles with each wrong password.
    pub max_wait: SignedDuration,
}

/// Factor for the free attempts that all unknown sources share.
const SHARED_FREE_FACTOR: u32 = 4;

/// Shared wrong passwords after which an unknown source with a wrong password may try once a day,
/// unless the free attempts exceed it.
const SHARED_CAP: u32 = 100;

/// Minimum number of doubling steps before the shared cap.
const MIN_STEPS_BELOW_CAP: u32 = 20;

/// Wait at the shared cap.
const CAPPED_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// One wrong password is forgotten per quiet interval of this length, so pauses gain at most one
/// attempt per interval.
const DECAY_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// Maximum delay between an attempt and its evaluation, while it waits for a hash, for the keys of
/// a signer or for the store. Attempts made later may be counted meanwhile, which does not mean
/// that the clock was set back.
const MAX_REORDERING: SignedDuration = SignedDuration::from_mins(1);

impl Default for ThrottleRules {
    fn default() -> Self {
        Self {
            free_attempts: 5,
            max_wait: SignedDuration::from_hours(1),
        }
    }
}

impl ThrottleRules {
    /// Consecutive wrong passwords from unknown sources without a wait.
    fn shared_free_attempts(self) -> u32 {
        self.free_attempts.saturating_mul(SHARED_FREE_FACTOR)
    }

    /// Consecutive wrong passwords at which the shared wait is longest; no more are counted.
    fn shared_cap(self) -> u32 {
        let begun = self
            .shared_free_attempts()
            .saturating_add(MIN_STEPS_BELOW_CAP);
        begun.max(SHARED_CAP)
    }
}

/// State of the throttle for one password.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordThrottle {
    /// Wrong passwords from sources that were unknown at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unknown: Option<WrongPasswords>,
    /// The sources of `unknown`.
    #[serde(default, skip_serializing_if = "SpentSources::is_empty")]
    spent: SpentSources,
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    sources: Sources,
}

/// Consecutive wrong passwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct WrongPasswords {
    in_a_row: u32,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    last_at: Timestamp,
}

/// The attempt came too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many wrong passwords in a row")]
pub struct ThrottledError {
    /// Seconds until the next attempt, at least 1.
    pub retry_after: u32,
}

impl PasswordThrottle {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that an attempt from `address` is allowed at `now`. Called before the password is
    /// verified, so a right one waits like a wrong one.
    ///
    /// # Errors
    ///
    /// [`ThrottledError`] when it comes too early.
    pub fn admit(
        &self,
        address: IpAddr,
        rules: ThrottleRules,
        now: Timestamp,
    ) -> Result<(), ThrottledError> {
        let own = self.sources.failures(address).map(|wrong| {
            let wait = backoff(wrong.in_a_row, rules.free_attempts, rules.max_wait);
            wrong.remaining_wait(wait, now)
        });
        let shared = self
            .unknown
            .filter(|_| !self.sources.is_known(address, now))
            .map(|wrong| {
                let wait = self.spent.wait(address, wrong.shared_wait(rules));
                wrong.remaining_wait(wait, now)
            });
        match own.max(shared).unwrap_or_default() {
            0 => Ok(()),
            retry_after => Err(ThrottledError { retry_after }),
        }
    }

    pub fn record_failure(&mut self, address: IpAddr, rules: ThrottleRules, now: Timestamp) {
        if !self.sources.is_known(address, now) {
            self.spent
                .evict_oldest(self.unknown.map_or(0, |wrong| wrong.decayed(now)));
            self.spent.add(address);
            self.unknown = Some(WrongPasswords::incremented(self.unknown, rules, now));
        }
        self.sources.record_failure(address, rules, now);
    }

    /// Resets the counter of `address` and marks it as known. If it was unknown, the shared counter
    /// is reset too, but sources with a wrong password stay behind the others: logging in from many
    /// places does not give guessers a new start.
    pub fn record_success(&mut self, address: IpAddr, now: Timestamp) {
        if !self.sources.is_known(address, now) {
            self.spent.remove(address);
            self.unknown = self.unknown.filter(|_| !self.spent.is_empty());
            if let Some(wrong) = &mut self.unknown {
                wrong.in_a_row = 0;
            }
        }
        self.sources.record_success(address, now);
    }

    /// Whether `address` is unknown and slowed down by the shared counter.
    pub fn is_throttled_as_unknown(
        &self,
        address: IpAddr,
        rules: ThrottleRules,
        now: Timestamp,
    ) -> bool {
        !self.sources.is_known(address, now)
            && self
                .unknown
                .is_some_and(|wrong| wrong.in_a_row >= rules.shared_free_attempts())
    }

    /// Marks `address` as known since `right_at`, from a record outside this state.
    pub fn restore_success(&mut self, address: IpAddr, right_at: Timestamp, now: Timestamp) {
        self.sources.restore_success(address, right_at, now);
    }

    /// Resets all counters after a password change.
    pub fn clear_failures(&mut self) {
        self.unknown = None;
        self.spent = SpentSources::default();
        self.sources.clear_failures();
    }
}

impl WrongPasswords {
    /// One more wrong password, after decay.
    fn incremented(before: Option<Self>, rules: ThrottleRules, now: Timestamp) -> Self {
        let before = before.map_or(0, |wrong| wrong.in_a_row.saturating_sub(wrong.decayed(now)));
        Self {
            in_a_row: before.saturating_add(1).min(rules.shared_cap()),
            last_at: to_millisecond(now),
        }
    }

    /// Wrong passwords forgotten since the last one.
    fn decayed(self, now: Timestamp) -> u32 {
        let quiet = now.duration_since(self.last_at).as_secs().max(0);
        u32::try_from(quiet / DECAY_INTERVAL.as_secs()).unwrap_or(u32::MAX)
    }

    /// Remaining seconds of `wait`, rounded up.
    ///
    /// An instant further in the future means that the clock was set back. That allows one attempt,
    /// which restarts the wait; otherwise the wait would last as long as the clock was wrong.
    fn remaining_wait(self, wait: SignedDuration, now: Timestamp) -> u32 {
        let waited = now.duration_since(self.last_at);
        if waited < -MAX_REORDERING {
            return 0;
        }
        let rest = (wait - waited).max(SignedDuration::ZERO);
        let begun = i64::from(rest.subsec_nanos() > 0);
        u32::try_from(rest.as_secs() + begun).unwrap_or(u32::MAX)
    }

    /// Wait of unknown sources with a wrong password.
    fn shared_wait(self, rules: ThrottleRules) -> SignedDuration {
        if self.in_a_row >= rules.shared_cap() {
            return CAPPED_WAIT.max(rules.max_wait);
        }
        backoff(self.in_a_row, rules.shared_free_attempts(), rules.max_wait)
    }
}

/// Exponential backoff after `in_a_row` wrong passwords, the first `free` of which cost nothing.
fn backoff(in_a_row: u32, free: u32, longest: SignedDuration) -> SignedDuration {
    let Some(doublings) = in_a_row.checked_sub(free) else {
        return SignedDuration::ZERO;
    };
    SignedDuration::from_secs(1 << doublings.min(40)).min(longest)
}

#[cfg(test)]
mod tests;
