//! Evaluation of MFA checks: TOTP passes and their validity over time.

#[cfg(test)]
mod tests;

use crate::client::Client;
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_domain::posture::PROMPT_GRACE_SECONDS;
use portcullis_domain::posture_check::MfaCheck;

/// State of an MFA check for a client.
///
/// Ends are exclusive: at that instant the check fails, for that reason alone. `None` if there is
/// no such limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MfaStatus {
    /// Last TOTP pass.
    pub(crate) passed_at: Option<Timestamp>,
    /// End of the timeout.
    pub(crate) timeout_end: Option<Timestamp>,
    /// End of the grace period after a wake-up, unless a code was given since.
    pub(crate) wake_grace_end: Option<Timestamp>,
    /// End of the grace period after unlocking, unless a code was given since.
    pub(crate) unlock_grace_end: Option<Timestamp>,
}

impl MfaStatus {
    pub(crate) fn new(check: MfaCheck, client: &Client<'_>) -> Self {
        let passed_at = client.totp_passed_at;
        let timeout = check.timeout_seconds;
        let posture = client.posture;
        let prompt = |is_asked: bool, happened_at: Option<Timestamp>| {
            happened_at
                .filter(|at| is_asked && passed_at.is_some_and(|passed_at| passed_at < *at))
                .map(|happened_at| saturating_add(happened_at, seconds(PROMPT_GRACE_SECONDS)))
        };
        Self {
            passed_at,
            timeout_end: passed_at
                .zip(timeout)
                .map(|(passed_at, timeout)| saturating_add(passed_at, seconds(timeout.get()))),
            wake_grace_end: prompt(check.prompt_on_wake, posture.woken_at()),
            unlock_grace_end: prompt(check.prompt_on_unlock, posture.unlocked_at()),
        }
    }

    /// Whether a code was given and no limit has been reached.
    pub(crate) fn is_passing(&self, now: Timestamp) -> bool {
        self.passed_at.is_some() && self.ends_at().is_none_or(|end| now < end)
    }

    /// The earliest limit.
    pub(crate) fn ends_at(&self) -> Option<Timestamp> {
        [self.timeout_end, self.wake_grace_end, self.unlock_grace_end]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether no code was given or its timeout is over.
    pub(crate) fn has_timed_out(&self, now: Timestamp) -> bool {
        self.passed_at.is_none() || self.timeout_end.is_some_and(|end| end <= now)
    }

    /// Whether a code was given and the grace period is not over.
    pub(crate) fn is_within_grace(&self, prompt: Option<Timestamp>, now: Timestamp) -> bool {
        self.passed_at.is_some() && prompt.is_none_or(|end| now < end)
    }
}

/// Seconds until the check fails, rounded up, as clients see them; `None` without a timeout. A
/// positive number implies that the check passes; a passing check never has 0.
pub(crate) fn remaining(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> Option<u32> {
    let timeout = check.timeout_seconds?.get();
    let status = MfaStatus::new(check, client);
    if status.passed_at.is_none() {
        return Some(0);
    }
    if check.ignore_legacy_endpoints && client.is_legacy() {
        return None;
    }
    let end = status.ends_at().unwrap_or(now);
    let left = end.duration_since(now);
    let partial_second = i64::from(left.subsec_nanos() > 0);
    let left = left.as_secs().saturating_add(partial_second).max(0);
    // A clock that was set back must not extend the time.
    Some(u32::try_from(left).unwrap_or(u32::MAX).min(timeout))
}

pub(crate) fn seconds(count: u32) -> SignedDuration {
    SignedDuration::from_secs(count.into())
}
