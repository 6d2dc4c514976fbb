//! What was in the way: checks that were not passed, and requests that were refused for them.

#[cfg(test)]
mod tests;

use crate::client::Client;
use crate::machine;
use crate::mfa::{self, Standing};
use crate::posture::{Posture, Reported};
use crate::report::{Os, Process};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, ServiceId, ServicePolicyId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture_check::{
    Check, MfaCheck, PostureCheck, ProcessCheck, ProcessMultiCheck,
};
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A check that was not passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFailure {
    /// The check as it was then: what was expected.
    pub check: Arc<PostureCheck>,
    /// What there was instead.
    pub actual: Actual,
}

/// What a session had instead of what a check expects; shared with its posture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actual {
    /// This operating system; `None` if none was reported.
    Os(Option<Arc<Os>>),
    /// This domain.
    Domain(Option<Arc<String>>),
    /// These addresses.
    Mac(Option<Arc<Vec<String>>>),
    /// These codes.
    Mfa(MfaValues, MfaCriteria),
    /// This process.
    Process(Option<ActualProcess>),
    /// These of the processes, which are not as they should be. What was not reported is missing.
    ProcessMulti(Vec<ActualProcess>),
}

/// A process as it was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActualProcess {
    /// Its binary, as the check writes it.
    pub path: String,
    /// What is known of it.
    pub process: Arc<Process>,
}

/// In which respects a check of TOTP codes is passed, or has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MfaValues {
    /// Whether a code was shown at all.
    pub passed_mfa: bool,
    /// Whether there is no code whose time goes on.
    pub timed_out: bool,
    /// Whether waking up has not ended it.
    pub passed_on_wake: bool,
    /// Whether unlocking has not ended it.
    pub passed_on_unlock: bool,
}

/// By what a check of TOTP codes was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MfaCriteria {
    /// When a code was last shown.
    pub passed_at: Option<Timestamp>,
    /// When the machine last woke up.
    pub woken_at: Option<Timestamp>,
    /// When the machine was last unlocked.
    pub unlocked_at: Option<Timestamp>,
    /// Seconds for which a code will do; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
    /// Seconds that are left of them; `None` for no limit.
    pub remaining: Option<u32>,
}

/// A policy that was not passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFailure {
    /// Its id.
    pub id: ServicePolicyId,
    /// Its name.
    pub name: String,
    /// The checks that were in the way, at least one.
    pub checks: Vec<CheckFailure>,
}

/// A request for a service session that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRequest {
    /// When it was made.
    pub when: Timestamp,
    /// By which session.
    pub api_session: ApiSessionId,
    /// For which service.
    pub service: ServiceId,
    /// What the service was called.
    pub service_name: String,
    /// What it was to be used for.
    pub grant: ServiceGrant,
    /// The policies that would have granted it.
    pub policies: Vec<PolicyFailure>,
}

/// The last requests of an identity that were refused, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedRequests(VecDeque<FailedRequest>);

impl CheckFailure {
    /// Says what is in the way of passing `check`.
    pub(crate) fn of(check: &Arc<PostureCheck>, client: &Client<'_>, now: Timestamp) -> Self {
        let posture = client.posture;
        let actual = match &check.spec.check {
            Check::Os(_) => Actual::Os(posture.os().map(share)),
            Check::Domain(_) => Actual::Domain(posture.domain().map(share)),
            Check::Mac(_) => Actual::Mac(posture.addresses().map(share)),
            Check::Mfa(mfa) => {
                let values = MfaValues::actual(*mfa, client, now);
                Actual::Mfa(values, MfaCriteria::of(*mfa, client, now))
            },
            Check::Process(process) => Actual::Process(actual_process(process, check, posture)),
            Check::ProcessMulti(processes) => {
                Actual::ProcessMulti(actual_processes(processes, posture))
            },
        };
        Self {
            check: Arc::clone(check),
            actual,
        }
    }
}

fn share<T>(reported: &Reported<T>) -> Arc<T> {
    Arc::clone(&reported.value)
}

fn actual_process(
    asked: &ProcessCheck,
    check: &PostureCheck,
    posture: &Posture,
) -> Option<ActualProcess> {
    let reported = posture.process_at(&asked.path);
    let reported = reported.or_else(|| posture.process_for(&check.id))?;
    Some(ActualProcess {
        path: asked.path.as_str().to_owned(),
        process: share(reported),
    })
}

fn actual_processes(asked: &ProcessMultiCheck, posture: &Posture) -> Vec<ActualProcess> {
    let failing = asked.processes.iter().filter_map(|asked| {
        let reported = posture.process_at(&asked.path)?;
        (!machine::is_met(asked, Some(reported))).then(|| ActualProcess {
            path: asked.path.as_str().to_owned(),
            process: share(reported),
        })
    });
    failing.collect()
}

impl MfaValues {
    /// What `check` expects.
    pub fn expected(check: MfaCheck) -> Self {
        Self {
            passed_mfa: true,
            timed_out: false,
            passed_on_wake: check.prompt_on_wake,
            passed_on_unlock: check.prompt_on_unlock,
        }
    }

    fn actual(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> Self {
        let standing = Standing::of(check, client);
        Self {
            passed_mfa: standing.passed_at.is_some(),
            timed_out: standing.has_timed_out(now),
            passed_on_wake: standing.is_prompt_passed(standing.wake, now),
            passed_on_unlock: standing.is_prompt_passed(standing.unlock, now),
        }
    }
}

impl MfaCriteria {
    fn of(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> Self {
        Self {
            passed_at: client.totp_passed_at,
            woken_at: client.posture.woken_at(),
            unlocked_at: client.posture.unlocked_at(),
            timeout: check.timeout_seconds,
            remaining: mfa::remaining(check, client, now),
        }
    }
}

impl FailedRequests {
    /// Most requests that are remembered.
    pub const MOST: usize = 100;

    /// Remembers a request, and forgets the oldest one if there are too many.
    pub fn push(&mut self, request: FailedRequest) {
        if self.0.len() >= Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back(request);
    }

    /// The requests, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &FailedRequest> {
        self.0.iter()
    }
}
