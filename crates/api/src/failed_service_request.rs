//! Requests for service sessions that posture was in the way of, on the wire.

mod values;

pub use values::{ActualOsBody, ActualProcessBody, FailureValues, MfaCriteriaBody, MfaValuesBody};

use crate::service_policy::PolicyType;
use crate::time::WireTime;
use portcullis_domain::ids::{ApiSessionId, PostureCheckId, ServiceId, ServicePolicyId};
use portcullis_domain::posture::{CheckFailure, FailedRequest, PolicyFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A request for a service session that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedServiceRequest {
    /// The session by which it was made.
    #[schemars(with = "String")]
    pub api_session_id: ApiSessionId,
    /// The policies that would have granted it.
    pub policy_failures: Vec<PolicyFailureDetail>,
    /// For which service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
    /// What the service was called.
    pub service_name: String,
    /// What it was to be used for.
    pub session_type: PolicyType,
    /// When it was made.
    pub when: WireTime,
}

/// A policy that was not passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyFailureDetail {
    /// The checks that were in the way.
    pub checks: Vec<CheckFailureDetail>,
    /// Id of the policy.
    #[schemars(with = "String")]
    pub policy_id: ServicePolicyId,
    /// What it was called.
    pub policy_name: String,
}

/// A check that was not passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckFailureDetail {
    /// Its type, what it expected and what there was instead.
    #[serde(flatten)]
    pub values: FailureValues,
    /// Its id.
    #[schemars(with = "String")]
    pub posture_check_id: PostureCheckId,
    /// What it was called.
    pub posture_check_name: String,
}

impl FailedServiceRequest {
    /// How requests are shown.
    pub fn list<'a>(requests: impl IntoIterator<Item = &'a FailedRequest>) -> Vec<Self> {
        requests.into_iter().map(Self::from).collect()
    }
}

impl From<&FailedRequest> for FailedServiceRequest {
    fn from(request: &FailedRequest) -> Self {
        Self {
            api_session_id: request.api_session.clone(),
            policy_failures: request.policies.iter().map(Into::into).collect(),
            service_id: request.service.clone(),
            service_name: request.service_name.clone(),
            session_type: request.grant.into(),
            when: request.when.into(),
        }
    }
}

impl From<&PolicyFailure> for PolicyFailureDetail {
    fn from(failure: &PolicyFailure) -> Self {
        Self {
            checks: failure.checks.iter().map(Into::into).collect(),
            policy_id: failure.id.clone(),
            policy_name: failure.name.clone(),
        }
    }
}

impl From<&CheckFailure> for CheckFailureDetail {
    fn from(failure: &CheckFailure) -> Self {
        let check = &failure.check;
        Self {
            values: FailureValues::new(&check.spec.check, &failure.actual),
            posture_check_id: check.id.clone(),
            posture_check_name: check.spec.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
