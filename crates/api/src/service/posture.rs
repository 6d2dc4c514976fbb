//! How somebody's posture stands with the policies of a service, on the wire.

use crate::service_policy::PolicyType;
use portcullis_domain::view::PolicyPosture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The posture checks of one policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostureQueries {
    /// Whether every check is passed.
    pub is_passing: bool,
    /// Id of the policy.
    pub policy_id: Cow<'static, str>,
    /// What the policy grants.
    pub policy_type: PolicyType,
    /// The checks.
    pub posture_queries: Vec<Value>,
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
            posture_queries: Vec::new(),
        }
    }
}
