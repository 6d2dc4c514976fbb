//! Posture queries: posture checks of the policies that grant a service.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::posture_check::seconds;
use crate::service_policy::PolicyType;
use crate::time::WireTime;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture_check::{Check, CheckType, OsType, ProcessPath};
use portcullis_domain::view::{CheckPosture, PolicyPosture};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::num::NonZeroU32;

/// The posture checks of one policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureQueries {
    /// Whether all checks pass.
    pub is_passing: bool,
    /// Id of the policy.
    pub policy_id: Cow<'static, str>,
    /// What the policy grants: `Dial` or `Bind`.
    pub policy_type: PolicyType,
    /// Checks.
    pub posture_queries: Vec<PostureQuery>,
}

/// A posture check with the data that clients have to report and its current result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureQuery {
    /// Members common to all entities, taken from the check. `updatedAt` also reflects changes of the
    /// result other than by the passage of time, by which clients decide whether to report again.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<PostureCheckId>,
    /// Whether the check passes.
    pub is_passing: bool,
    /// Process to report for a check of a single process; absent for other checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<PostureQueryProcess>,
    /// Processes to report for a check of multiple processes; `null` for other checks.
    #[serde(default)]
    pub processes: Option<Vec<PostureQueryProcess>>,
    /// Whether an MFA code is required after the device was unlocked; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompt_on_unlock: bool,
    /// Whether an MFA code is required after the device woke up; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompt_on_wake: bool,
    /// The type of the check.
    #[schemars(with = "crate::schema::word::CheckKind")]
    pub query_type: CheckType,
    /// Timeout of the check in seconds; -1 for no limit.
    pub timeout: i64,
    /// When the check times out; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_at: Option<WireTime>,
    /// Remaining seconds; -1 for no limit.
    pub timeout_remaining: i64,
}

/// A process that clients have to report on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureQueryProcess {
    /// Operating system that the path applies to.
    #[schemars(with = "crate::schema::word::OsType")]
    pub os_type: OsType,
    /// Path of the executable.
    pub path: String,
}

impl PostureQueries {
    /// Placeholder for a policy of this type without checks. Clients look for a passing entry of the
    /// type that they need.
    pub fn placeholder(policy_type: PolicyType) -> Self {
        Self {
            is_passing: true,
            policy_id: Cow::Borrowed(match policy_type {
                PolicyType::Dial => "dummy dial policy: no posture checks defined",
                PolicyType::Bind => "dummy bind policy: no posture checks defined",
                PolicyType::Invalid => "dummy invalid policy: no posture checks defined",
            }),
            policy_type,
            posture_queries: Vec::new(),
        }
    }
}

impl From<PolicyPosture> for PostureQueries {
    fn from(posture: PolicyPosture) -> Self {
        Self {
            is_passing: posture.is_passing,
            policy_id: Cow::Owned(posture.policy.to_string()),
            policy_type: posture.grant.into(),
            posture_queries: posture.checks.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<CheckPosture> for PostureQuery {
    fn from(posture: CheckPosture) -> Self {
        let check = posture.check;
        let asked = &check.spec.check;
        let (process, processes) = processes(asked);
        let (prompt_on_wake, prompt_on_unlock) = match asked {
            Check::Mfa(mfa) => (mfa.prompt_on_wake, mfa.prompt_on_unlock),
            _ => (false, false),
        };
        Self {
            base: Base {
                links: Links::of_posture_check(&check.id),
                created_at: check.created_at.into(),
                id: check.id.clone(),
                tags: check.spec.tags.clone(),
                updated_at: posture.updated_at.into(),
            },
            is_passing: posture.is_passing,
            process,
            processes,
            prompt_on_unlock,
            prompt_on_wake,
            query_type: asked.check_type(),
            timeout: seconds(posture.timeout.map(NonZeroU32::get)),
            timeout_at: posture.timeout_at.map(Into::into),
            timeout_remaining: seconds(posture.remaining),
        }
    }
}

/// The process of a check of a single process, and those of a check of multiple processes.
fn processes(
    asked: &Check,
) -> (
    Option<PostureQueryProcess>,
    Option<Vec<PostureQueryProcess>>,
) {
    match asked {
        Check::Process(asked) => {
            let process = PostureQueryProcess::new(asked.os_type, &asked.path);
            (Some(process), None)
        },
        Check::ProcessMulti(asked) => {
            let processes = asked.processes.iter();
            let processes = processes
                .map(|asked| PostureQueryProcess::new(asked.os_type, &asked.path))
                .collect();
            (None, Some(processes))
        },
        _ => (None, None),
    }
}

impl PostureQueryProcess {
    fn new(os_type: OsType, path: &ProcessPath) -> Self {
        Self {
            os_type,
            path: path.as_str().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
