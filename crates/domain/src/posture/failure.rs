//! Failed posture checks and the requests refused because of them.

use super::{OsInfo, ProcessInfo};
use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, ServiceId, ServicePolicyId};
use crate::policies::ServiceGrant;
use crate::posture_check::{MfaCheck, PostureCheck};
use std::num::NonZeroU32;
use std::sync::Arc;

/// A failed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFailure {
    /// The check at that time, with the expected values.
    pub check: Arc<PostureCheck>,
    pub actual: ActualValue,
}

/// The reported values that failed a check; shared with the posture of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActualValue {
    /// `None` if none was reported.
    Os(Option<Arc<OsInfo>>),
    Domain(Option<Arc<String>>),
    Mac(Option<Arc<Vec<String>>>),
    Mfa(MfaValues, MfaCriteria),
    Process(Option<ActualProcess>),
    /// The failed processes; unreported ones are missing.
    ProcessMulti(Vec<ActualProcess>),
}

/// A reported process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActualProcess {
    /// Path of the binary as in the check.
    pub path: String,
    pub process: Arc<ProcessInfo>,
}

/// Expected or actual results of an MFA check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MfaValues {
    /// Whether a code was accepted at all.
    pub passed_mfa: bool,
    /// Whether all accepted codes have expired.
    pub timed_out: bool,
    /// Whether the code is still valid after wake-up.
    pub passed_on_wake: bool,
    /// Whether the code is still valid after unlock.
    pub passed_on_unlock: bool,
}

/// Input values of an MFA check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MfaCriteria {
    /// When a code was last accepted.
    pub passed_at: Option<Timestamp>,
    pub woken_at: Option<Timestamp>,
    pub unlocked_at: Option<Timestamp>,
    /// Validity of a code in seconds; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
    /// Remaining seconds; `None` for no limit.
    pub remaining: Option<u32>,
}

/// A policy with failed checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFailure {
    pub id: ServicePolicyId,
    pub name: String,
    /// The failed checks, at least one.
    pub checks: Vec<CheckFailure>,
}

/// A request for a service session that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRequest {
    pub when: Timestamp,
    pub api_session: ApiSessionId,
    pub service: ServiceId,
    pub service_name: String,
    pub grant: ServiceGrant,
    pub policies: Vec<PolicyFailure>,
}

impl MfaValues {
    /// The values that `check` expects.
    pub fn expected(check: MfaCheck) -> Self {
        Self {
            passed_mfa: true,
            timed_out: false,
            passed_on_wake: check.prompt_on_wake,
            passed_on_unlock: check.prompt_on_unlock,
        }
    }
}
