//! Evaluation of policies, and access decisions for services.

#[cfg(test)]
mod tests;

use crate::client::Client;
use crate::failure::check_failure;
use crate::verdict::{Verdict, evaluate};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServicePolicyId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::PolicyFailure;
use portcullis_domain::posture_check::PostureCheck;
use std::sync::Arc;

/// A policy that grants a service to an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantingPolicy {
    pub id: ServicePolicyId,
    pub name: String,
    pub grant: ServiceGrant,
    /// All of them have to pass.
    pub checks: Vec<Arc<PostureCheck>>,
}

/// Result of evaluating a policy for a session; the same for all services of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyVerdict<'a> {
    pub policy: &'a GrantingPolicy,
    /// One verdict per check, in their order.
    pub verdicts: Vec<Verdict>,
}

/// Whether a session may dial or bind a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessDecision {
    /// Allowed by these policies, at least one.
    Granted(Vec<PassedPolicy>),
    /// The checks of all of these policies failed.
    Refused(Vec<PolicyFailure>),
    /// No policy grants the service.
    NotGranted,
}

/// A policy whose checks all pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedPolicy {
    pub policy: ServicePolicyId,
    /// When the policy stops passing if nothing changes; `None` for never.
    pub ends_at: Option<Timestamp>,
}

impl GrantingPolicy {
    /// Evaluates the policy for a session.
    pub fn evaluate(&self, client: &Client<'_>, now: Timestamp) -> PolicyVerdict<'_> {
        let checks = self.checks.iter();
        PolicyVerdict {
            policy: self,
            verdicts: checks.map(|check| evaluate(check, client, now)).collect(),
        }
    }
}

impl<'a> PolicyVerdict<'a> {
    pub fn is_passing(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.is_passing)
    }

    pub fn checks(&self) -> impl Iterator<Item = (&'a Arc<PostureCheck>, &Verdict)> {
        self.policy.checks.iter().zip(&self.verdicts)
    }

    /// When the policy stops passing if nothing changes; `None` for never, or if it fails already.
    pub fn ends_at(&self) -> Option<Timestamp> {
        let ends = self.verdicts.iter().filter_map(|verdict| verdict.ends_at);
        ends.min().filter(|_| self.is_passing())
    }

    /// Explains which checks failed, if any.
    pub fn failure(&self, client: &Client<'_>, now: Timestamp) -> Option<PolicyFailure> {
        let failing = self.checks().filter(|(_, verdict)| !verdict.is_passing);
        let checks: Vec<_> = failing
            .map(|(check, _)| check_failure(check, client, now))
            .collect();
        (!checks.is_empty()).then(|| PolicyFailure {
            id: self.policy.id.clone(),
            name: self.policy.name.clone(),
            checks,
        })
    }
}

impl AccessDecision {
    /// Decides whether a session may use a service, by the policies that grant the service to its
    /// identity. Policies with another grant are ignored; one that passes is enough.
    pub fn decide<'a>(
        policies: impl IntoIterator<Item = &'a GrantingPolicy>,
        grant: ServiceGrant,
        client: &Client<'_>,
        now: Timestamp,
    ) -> Self {
        let granting = policies.into_iter().filter(|policy| policy.grant == grant);
        let verdicts: Vec<_> = granting
            .map(|policy| policy.evaluate(client, now))
            .collect();
        if verdicts.is_empty() {
            return Self::NotGranted;
        }
        let passes: Vec<_> = verdicts
            .iter()
            .filter(|verdict| verdict.is_passing())
            .map(|verdict| PassedPolicy {
                policy: verdict.policy.id.clone(),
                ends_at: verdict.ends_at(),
            })
            .collect();
        if !passes.is_empty() {
            return Self::Granted(passes);
        }
        let failures = verdicts.iter();
        Self::Refused(
            failures
                .filter_map(|verdict| verdict.failure(client, now))
                .collect(),
        )
    }

    /// When granted access ends if nothing changes; `None` for never.
    pub fn ends_at(&self) -> Option<Timestamp> {
        let Self::Granted(passes) = self else {
            return None;
        };
        let ends: Option<Vec<Timestamp>> = passes.iter().map(|pass| pass.ends_at).collect();
        ends.and_then(|ends| ends.into_iter().max())
    }
}
