//! Posture data for owners and administrators.

use crate::client_info::SdkInfo;
use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, ServicePolicyId};
use crate::policies::ServiceGrant;
use crate::posture::{OsInfo, ProcessInfo, Reported};
use crate::posture_check::PostureCheck;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Posture evaluation for one policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyPosture {
    pub policy: ServicePolicyId,
    pub grant: ServiceGrant,
    /// Whether all of its checks pass.
    pub is_passing: bool,
    pub checks: Vec<CheckPosture>,
}

/// Posture evaluation for one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckPosture {
    pub check: Arc<PostureCheck>,
    /// Last change of the check or its result, apart from the passing of time. Clients use it to
    /// decide whether to report again.
    pub updated_at: Timestamp,
    pub is_passing: bool,
    /// Timeout in seconds; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
    /// Remaining seconds; `None` for no limit.
    pub remaining: Option<u32>,
    /// When the timeout ends; `None` for no limit.
    pub timeout_at: Option<Timestamp>,
}

/// The latest posture reports of an identity, and its sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostureView {
    /// The operating system.
    pub os: Option<Reported<OsInfo>>,
    /// The Windows domain.
    pub domain: Option<Reported<String>>,
    /// The MAC addresses.
    pub addresses: Option<Reported<Vec<String>>>,
    pub processes: Vec<Reported<ProcessInfo>>,
    /// Session-specific data.
    pub sessions: Vec<SessionPosture>,
}

/// Posture data of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPosture {
    pub session: ApiSessionId,
    /// Last accepted TOTP code, if still valid.
    pub totp_passed_at: Option<Timestamp>,
    pub woken_at: Option<Timestamp>,
    pub unlocked_at: Option<Timestamp>,
    /// As reported by the SDK.
    pub sdk: SdkInfo,
}
