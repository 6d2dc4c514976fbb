//! What a session may do under the policies that grant a service.

#[cfg(test)]
mod tests;

use crate::client::Client;
use crate::failure::check_failure;
use crate::verdict::{Verdict, judge};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServicePolicyId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::PolicyFailure;
use portcullis_domain::posture_check::PostureCheck;
use std::sync::Arc;

/// A policy that grants a service to an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantingPolicy {
    /// Its id.
    pub id: ServicePolicyId,
    /// Its name.
    pub name: String,
    /// What it grants.
    pub grant: ServiceGrant,
    /// What has to be passed for it, all of it; empty for nothing.
    pub checks: Vec<Arc<PostureCheck>>,
}

/// What came of holding a session against a policy. It is the same for all services that the policy
/// grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyVerdict<'a> {
    /// The policy.
    pub policy: &'a GrantingPolicy,
    /// A verdict for each of its checks, in their order.
    pub verdicts: Vec<Verdict>,
}

/// Whether a session may dial or bind a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// It may, by these policies, at least one.
    Granted(Vec<Pass>),
    /// It might, but for the checks of these policies, at least one.
    Refused(Vec<PolicyFailure>),
    /// No policy grants it, whatever the session passes.
    NotGranted,
}

/// A policy that is passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The policy.
    pub policy: ServicePolicyId,
    /// When it ends to be passed if nothing happens; `None` if it does not.
    pub ends_at: Option<Timestamp>,
}

impl GrantingPolicy {
    /// Holds a session against it.
    pub fn judge(&self, client: &Client<'_>, now: Timestamp) -> PolicyVerdict<'_> {
        let checks = self.checks.iter();
        PolicyVerdict {
            policy: self,
            verdicts: checks.map(|check| judge(check, client, now)).collect(),
        }
    }
}

impl<'a> PolicyVerdict<'a> {
    /// Whether all checks are passed.
    pub fn is_passing(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.is_passing)
    }

    /// The checks, each with its verdict.
    pub fn checks(&self) -> impl Iterator<Item = (&'a Arc<PostureCheck>, &Verdict)> {
        self.policy.checks.iter().zip(&self.verdicts)
    }

    /// When it ends to be passed if nothing happens; `None` if it does not or is not passed.
    pub fn ends_at(&self) -> Option<Timestamp> {
        let ends = self.verdicts.iter().filter_map(|verdict| verdict.ends_at);
        ends.min().filter(|_| self.is_passing())
    }

    /// What is in the way, if something is.
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

impl Access {
    /// Says whether a session may use a service, by the policies that grant the service to its
    /// identity. Those that grant something else than `grant` are passed over; one policy that is
    /// passed is enough.
    pub fn decide<'a>(
        policies: impl IntoIterator<Item = &'a GrantingPolicy>,
        grant: ServiceGrant,
        client: &Client<'_>,
        now: Timestamp,
    ) -> Self {
        let granting = policies.into_iter().filter(|policy| policy.grant == grant);
        let verdicts: Vec<_> = granting.map(|policy| policy.judge(client, now)).collect();
        if verdicts.is_empty() {
            return Self::NotGranted;
        }
        let passes: Vec<_> = verdicts
            .iter()
            .filter(|verdict| verdict.is_passing())
            .map(|verdict| Pass {
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

    /// When a session that is granted access loses it if nothing happens; `None` if it does not.
    pub fn ends_at(&self) -> Option<Timestamp> {
        let Self::Granted(passes) = self else {
            return None;
        };
        let ends: Option<Vec<Timestamp>> = passes.iter().map(|pass| pass.ends_at).collect();
        ends.and_then(|ends| ends.into_iter().max())
    }
}
