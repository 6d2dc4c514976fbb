//! What came of holding a session against a check.

#[cfg(test)]
mod tests;

use crate::client::Client;
use crate::machine;
use crate::mfa::{self, Standing};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture_check::{Check, MfaCheck, PostureCheck};
use std::num::NonZeroU32;

/// What came of holding a session against a check, and what clients are told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is passed.
    pub is_passing: bool,
    /// When it ends to be passed if nothing happens; `None` if it is not passed, or passed as long
    /// as the same is reported. At this very instant it is over.
    pub ends_at: Option<Timestamp>,
    /// Seconds for which it can be passed; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
    /// Seconds that are left of them, as clients are told; `None` for no limit.
    pub remaining: Option<u32>,
    /// When no more is left of them; there if and only if `remaining` is.
    pub timeout_at: Option<Timestamp>,
    /// When something last happened to the machine that the check asks about, after a code had been
    /// shown once.
    pub prompted_at: Option<Timestamp>,
}

/// Holds a session against a check.
pub fn judge(check: &PostureCheck, client: &Client<'_>, now: Timestamp) -> Verdict {
    let posture = client.posture;
    match &check.spec.check {
        Check::Os(os) => Verdict::lasting(machine::passes_os(os, posture)),
        Check::Domain(domain) => Verdict::lasting(machine::passes_domain(domain, posture)),
        Check::Mac(mac) => Verdict::lasting(machine::passes_mac(mac, posture)),
        Check::Process(process) => {
            Verdict::lasting(machine::passes_process(process, &check.id, posture))
        },
        Check::ProcessMulti(processes) => {
            Verdict::lasting(machine::passes_processes(processes, posture))
        },
        Check::Mfa(mfa) => Verdict::of_code(*mfa, client, now),
    }
}

impl Verdict {
    /// A verdict that lasts until something else is reported.
    fn lasting(is_passing: bool) -> Self {
        Self {
            is_passing,
            ends_at: None,
            timeout: None,
            remaining: None,
            timeout_at: None,
            prompted_at: None,
        }
    }

    fn of_code(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> Self {
        let standing = Standing::of(check, client);
        let is_passing = standing.is_passing(now);
        let remaining = mfa::remaining(check, client, now);
        let woken_at = client.posture.woken_at();
        let unlocked_at = client.posture.unlocked_at();
        let prompted_at = [
            woken_at.filter(|_| check.prompt_on_wake),
            unlocked_at.filter(|_| check.prompt_on_unlock),
        ];
        Self {
            is_passing,
            ends_at: standing.ends_at().filter(|_| is_passing),
            timeout: check.timeout_seconds,
            remaining,
            timeout_at: remaining.map(|_| standing.ends_at().unwrap_or(now)),
            prompted_at: standing
                .passed_at
                .and_then(|_| prompted_at.into_iter().flatten().max()),
        }
    }

    /// The member `updatedAt` of what is asked of a client: when the check was last changed, or its
    /// answer by what happened to the machine. SDKs look at it to see whether to ask again.
    pub fn updated_at(&self, check: &PostureCheck) -> Timestamp {
        self.prompted_at
            .map_or(check.updated_at, |at| at.max(check.updated_at))
    }
}
