//! Posture, as it is shown to its owner and to administrators.

use crate::client_info::SdkInfo;
use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, ServicePolicyId};
use crate::policies::ServiceGrant;
use crate::posture::{Os, Process, Reported};
use crate::posture_check::PostureCheck;
use std::num::NonZeroU32;
use std::sync::Arc;

/// How somebody's posture stands with a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyPosture {
    /// The policy.
    pub policy: ServicePolicyId,
    /// What it grants.
    pub grant: ServiceGrant,
    /// Whether every check that it names is passed.
    pub is_passing: bool,
    /// How it stands with each of the checks.
    pub checks: Vec<CheckPosture>,
}

/// How somebody's posture stands with a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckPosture {
    /// The check.
    pub check: Arc<PostureCheck>,
    /// When the check or its answer last changed by more than the passing of time. Clients look at it
    /// to see whether they have to report again.
    pub updated_at: Timestamp,
    /// Whether it is passed.
    pub is_passing: bool,
    /// Seconds for which it can be passed; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
    /// Seconds that are left of them; `None` for no limit.
    pub remaining: Option<u32>,
    /// When no more is left of them; `None` for no limit.
    pub timeout_at: Option<Timestamp>,
}

/// What the sessions of an identity reported, the newest of everything, and what else is known of
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostureView {
    /// The operating system.
    pub os: Option<Reported<Os>>,
    /// The Windows domain.
    pub domain: Option<Reported<String>>,
    /// The MAC addresses.
    pub addresses: Option<Reported<Vec<String>>>,
    /// The processes.
    pub processes: Vec<Reported<Process>>,
    /// What belongs to one session alone.
    pub sessions: Vec<SessionPosture>,
}

/// What is known of the machine and the user behind one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPosture {
    /// The session.
    pub session: ApiSessionId,
    /// When a TOTP code was last accepted on it, if that still counts.
    pub totp_passed_at: Option<Timestamp>,
    /// When the machine last woke up.
    pub woken_at: Option<Timestamp>,
    /// When the machine was last unlocked.
    pub unlocked_at: Option<Timestamp>,
    /// What its SDK says of itself.
    pub sdk: SdkInfo,
}
