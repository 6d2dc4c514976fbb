//! What was in the way: checks that were not passed, and requests that were refused for them.

use super::{Os, Process};
use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, ServiceId, ServicePolicyId};
use crate::policies::ServiceGrant;
use crate::posture_check::{MfaCheck, PostureCheck};
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
}
