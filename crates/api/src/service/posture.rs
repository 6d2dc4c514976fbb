//! How somebody's posture stands with the policies of a service, on the wire.

use crate::entity::{Base, is_false};
use crate::link::Links;
use crate::posture_check::seconds;
use crate::schema;
use crate::service_policy::PolicyType;
use crate::time::WireTime;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture_check::{Check, CheckKind, OsType, ProcessPath};
use portcullis_domain::view::{CheckPosture, PolicyPosture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::num::NonZeroU32;

/// The posture checks of one policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureQueries {
    /// Whether every check is passed.
    pub is_passing: bool,
    /// Id of the policy.
    pub policy_id: Cow<'static, str>,
    /// What the policy grants.
    pub policy_type: PolicyType,
    /// The checks.
    pub posture_queries: Vec<PostureQuery>,
}

/// A posture check: what clients are asked to report, and how they stand with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureQuery {
    /// The members of the check that every entity has. When it last changed is later if its answer
    /// changed by more than the passing of time; clients see by that whether to report again.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<PostureCheckId>,
    /// Whether it is passed.
    pub is_passing: bool,
    /// The process that a check of one asks for; left out for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<PostureQueryProcess>,
    /// The processes that a check of several asks for; `null` for others.
    #[serde(default)]
    pub processes: Option<Vec<PostureQueryProcess>>,
    /// Whether a code has to be shown after the machine was unlocked; left out if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prompt_on_unlock: bool,
    /// Whether a code has to be shown after the machine woke up; left out if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prompt_on_wake: bool,
    /// The type of the check.
    #[schemars(with = "schema::word::CheckKind")]
    pub query_type: CheckKind,
    /// Seconds for which it can be passed; -1 for no limit.
    pub timeout: i64,
    /// When no more is left of them; left out for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_at: Option<WireTime>,
    /// Seconds that are left of them; -1 for no limit.
    pub timeout_remaining: i64,
}

/// A process about which clients are asked to report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureQueryProcess {
    /// The system for which the path is meant.
    #[schemars(with = "schema::word::OsType")]
    pub os_type: OsType,
    /// Its binary.
    pub path: String,
}

impl PostureQueries {
    /// What stands for a policy of this type where there is nothing to check. Clients look for one
    /// that passes for what they want to do.
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
            query_type: asked.kind(),
            timeout: seconds(posture.timeout.map(NonZeroU32::get)),
            timeout_at: posture.timeout_at.map(Into::into),
            timeout_remaining: seconds(posture.remaining),
        }
    }
}

/// The process that a check of one asks for, and those that a check of several does.
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
