//! Checks of TOTP codes: whether one was shown, and for how long it will do.

#[cfg(test)]
mod tests;

use crate::client::Client;
use portcullis_domain::clock::{SignedDuration, Timestamp, later};
use portcullis_domain::posture::PROMPT_GRACE_SECONDS;
use portcullis_domain::posture_check::MfaCheck;

/// How a client stands with a check of TOTP codes.
///
/// An end is the first instant at which the check is not passed any more, for that reason alone. What
/// never began has none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// When a code was last shown.
    pub(crate) passed_at: Option<Timestamp>,
    /// When its time is over, if it has one.
    pub(crate) timeout: Option<Timestamp>,
    /// When the grace after waking up is over, if no code was shown since.
    pub(crate) wake: Option<Timestamp>,
    /// When the grace after unlocking is over, if no code was shown since.
    pub(crate) unlock: Option<Timestamp>,
}

impl Standing {
    pub(crate) fn of(check: MfaCheck, client: &Client<'_>) -> Self {
        let passed_at = client.totp_passed_at;
        let timeout = check.timeout_seconds;
        let posture = client.posture;
        let prompt = |is_asked: bool, happened_at: Option<Timestamp>| {
            happened_at
                .filter(|at| is_asked && passed_at.is_some_and(|passed_at| passed_at < *at))
                .map(|happened_at| later(happened_at, seconds(PROMPT_GRACE_SECONDS)))
        };
        Self {
            passed_at,
            timeout: passed_at
                .zip(timeout)
                .map(|(passed_at, timeout)| later(passed_at, seconds(timeout.get()))),
            wake: prompt(check.prompt_on_wake, posture.woken_at()),
            unlock: prompt(check.prompt_on_unlock, posture.unlocked_at()),
        }
    }

    /// Whether the check is passed: a code was shown, and nothing has ended it.
    pub(crate) fn is_passing(&self, now: Timestamp) -> bool {
        self.passed_at.is_some() && self.ends_at().is_none_or(|end| now < end)
    }

    /// The first of the ends that are known.
    pub(crate) fn ends_at(&self) -> Option<Timestamp> {
        [self.timeout, self.wake, self.unlock]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether there is no code whose time goes on.
    pub(crate) fn has_timed_out(&self, now: Timestamp) -> bool {
        self.passed_at.is_none() || self.timeout.is_some_and(|end| end <= now)
    }

    /// Whether nothing has ended it that happened to the machine.
    pub(crate) fn is_prompt_passed(&self, prompt: Option<Timestamp>, now: Timestamp) -> bool {
        self.passed_at.is_some() && prompt.is_none_or(|end| now < end)
    }
}

/// Seconds until the check is not passed any more, begun ones counted, as clients are told; `None`
/// for no timeout. Where it is some and not 0, the check is passed, and where the check is passed,
/// it is none or not 0.
pub(crate) fn remaining(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> Option<u32> {
    let timeout = check.timeout_seconds?.get();
    let standing = Standing::of(check, client);
    if standing.passed_at.is_none() {
        return Some(0);
    }
    if check.ignore_legacy_endpoints && client.is_legacy() {
        return None;
    }
    let end = standing.ends_at().unwrap_or(now);
    let left = end.duration_since(now);
    let begun = i64::from(left.subsec_nanos() > 0);
    let left = left.as_secs().saturating_add(begun).max(0);
    // A clock that was set back adds nothing.
    Some(u32::try_from(left).unwrap_or(u32::MAX).min(timeout))
}

pub(crate) fn seconds(count: u32) -> SignedDuration {
    SignedDuration::from_secs(count.into())
}
