//! Evaluation of posture checks.

#[cfg(test)]
mod tests;

use crate::client::{Client, MachineJudge};
use crate::machine;
use crate::mfa::{self, MfaStatus};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture_check::{Check, MfaCheck, PostureCheck};
use std::num::NonZeroU32;

/// Result of evaluating a posture check for a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    pub is_passing: bool,
    /// When the check stops passing if nothing changes, exclusive; `None` if it fails already, or
    /// passes until something else is reported.
    pub ends_at: Option<Timestamp>,
    /// Timeout in seconds; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
    /// Remaining seconds, as clients see them; `None` for no limit.
    pub remaining: Option<u32>,
    /// End of the remaining time; `Some` if and only if `remaining` is.
    pub timeout_at: Option<Timestamp>,
    /// Last event that prompted for a code, after one had been given.
    pub prompted_at: Option<Timestamp>,
}

/// Evaluates a posture check for a session.
pub fn evaluate(check: &PostureCheck, client: &Client<'_>, now: Timestamp) -> Verdict {
    let posture = client.posture;
    match &check.spec.check {
        Check::Mfa(mfa) => Verdict::for_mfa(*mfa, client, now),
        _ if client.machine_judge == MachineJudge::Router => Verdict::without_deadline(true),
        Check::Os(os) => Verdict::without_deadline(machine::passes_os(os, posture)),
        Check::Domain(domain) => Verdict::without_deadline(machine::passes_domain(domain, posture)),
        Check::Mac(mac) => Verdict::without_deadline(machine::passes_mac(mac, posture)),
        Check::Process(process) => {
            Verdict::without_deadline(machine::passes_process(process, &check.id, posture))
        },
        Check::ProcessMulti(processes) => {
            Verdict::without_deadline(machine::passes_processes(processes, posture))
        },
    }
}

impl Verdict {
    /// A verdict that holds until something else is reported.
    fn without_deadline(is_passing: bool) -> Self {
        Self {
            is_passing,
            ends_at: None,
            timeout: None,
            remaining: None,
            timeout_at: None,
            prompted_at: None,
        }
    }

    fn for_mfa(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> Self {
        let status = MfaStatus::new(check, client);
        let is_passing = status.is_passing(now);
        let remaining = mfa::remaining(check, client, now);
        let woken_at = client.posture.woken_at();
        let unlocked_at = client.posture.unlocked_at();
        let prompted_at = [
            woken_at.filter(|_| check.prompt_on_wake),
            unlocked_at.filter(|_| check.prompt_on_unlock),
        ];
        Self {
            is_passing,
            ends_at: status.ends_at().filter(|_| is_passing),
            timeout: check.timeout_seconds,
            remaining,
            timeout_at: remaining.map(|_| status.ends_at().unwrap_or(now)),
            prompted_at: status
                .passed_at
                .and_then(|_| prompted_at.into_iter().flatten().max()),
        }
    }

    /// The field `updatedAt` of a posture query: the last change of the check, or of its result by
    /// an event. SDKs compare it to decide whether to report again.
    pub fn updated_at(&self, check: &PostureCheck) -> Timestamp {
        self.prompted_at
            .map_or(check.updated_at, |at| at.max(check.updated_at))
    }
}
