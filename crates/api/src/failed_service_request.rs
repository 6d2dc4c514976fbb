//! Wire types of service session requests that failed because of posture checks.

mod values;

pub use values::{
    ActualOsDetail, ActualProcessDetail, CheckFailureValues, MfaCriteriaDetail, MfaValuesDetail,
};

use crate::describe::JsonSchema;
use crate::service_policy::PolicyType;
use crate::time::WireTime;
use portcullis_domain::ids::{ApiSessionId, PostureCheckId, ServiceId, ServicePolicyId};
use portcullis_domain::posture::{CheckFailure, FailedRequest, PolicyFailure};
use serde::{Deserialize, Serialize};

/// A request for a service session that failed because of posture checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedServiceRequest {
    /// Id of the API session that made the request.
    #[schemars(with = "String")]
    pub api_session_id: ApiSessionId,
    /// Policies that would have granted access, with their failed checks.
    pub policy_failures: Vec<PolicyFailureDetail>,
    /// Id of the requested service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
    /// Name of the service at that time.
    pub service_name: String,
    /// Requested session type.
    pub session_type: PolicyType,
    /// When the request was made.
    pub when: WireTime,
}

/// A policy with failed posture checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyFailureDetail {
    /// The failed posture checks.
    pub checks: Vec<CheckFailureDetail>,
    /// Id of the policy.
    #[schemars(with = "String")]
    pub policy_id: ServicePolicyId,
    /// Its name at that time.
    pub policy_name: String,
}

/// A failed posture check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckFailureDetail {
    /// Type of the check with its expected and actual values.
    #[serde(flatten)]
    pub values: CheckFailureValues,
    /// Its id.
    #[schemars(with = "String")]
    pub posture_check_id: PostureCheckId,
    /// Its name at that time.
    pub posture_check_name: String,
}

impl FailedServiceRequest {
    /// Converts a list of requests.
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
            values: CheckFailureValues::new(&check.spec.check, &failure.actual),
            posture_check_id: check.id.clone(),
            posture_check_name: check.spec.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
