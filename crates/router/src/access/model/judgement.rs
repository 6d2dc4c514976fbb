//! Whether policies and posture give an identity a right to a service.

use super::{DataModel, Policy};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_posture::{Client, Verdict, evaluate};
use portcullis_wire::control::data_model::{Identity, PolicyType};
use std::collections::BTreeSet;

/// Whether an identity has a right to a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    Granted {
        /// When it ends if nothing changes; `None` for never.
        ends_at: Option<Timestamp>,
    },
    /// Policies give the right, but each demands posture that the client does not have. Ids of the checks
    /// that fail.
    Failing(BTreeSet<String>),
    /// No policy gives the right, or there is no such identity or service, or the identity is disabled.
    NotGranted,
}

/// What became of one policy.
enum PolicyOutcome {
    Passing { ends_at: Option<Timestamp> },
    Failing(BTreeSet<String>),
}

impl DataModel {
    /// Judges in time proportional to the policies of the identity. `client` is `None` for those whose
    /// posture nobody evaluates: they pass all checks.
    pub fn judge(
        &self,
        identity: &str,
        service: &str,
        grant: ServiceGrant,
        client: Option<&Client<'_>>,
        now: Timestamp,
    ) -> Judgement {
        if self.enabled_identity(identity).is_none() || self.services.get(service).is_none() {
            return Judgement::NotGranted;
        }
        let mut ends = Vec::new();
        let mut failing = None;
        for policy in self.policies.of_identity(identity) {
            if !gives(policy, grant) || !policy.services.contains(service) {
                continue;
            }
            match self.outcome(policy, client, now) {
                PolicyOutcome::Passing { ends_at: None } => {
                    return Judgement::Granted { ends_at: None };
                },
                PolicyOutcome::Passing { ends_at } => ends.push(ends_at),
                PolicyOutcome::Failing(checks) => {
                    failing.get_or_insert_with(BTreeSet::new).extend(checks);
                },
            }
        }
        match (ends.into_iter().max(), failing) {
            (Some(ends_at), _) => Judgement::Granted { ends_at },
            (None, Some(checks)) => Judgement::Failing(checks),
            (None, None) => Judgement::NotGranted,
        }
    }

    fn outcome(
        &self,
        policy: &Policy,
        client: Option<&Client<'_>>,
        now: Timestamp,
    ) -> PolicyOutcome {
        let Some(client) = client else {
            return PolicyOutcome::Passing { ends_at: None };
        };
        let mut ends_at: Option<Timestamp> = None;
        let mut failing = BTreeSet::new();
        for id in &policy.posture_checks {
            match self.evaluate_check(id, client, now) {
                Some(verdict) if verdict.is_passing => {
                    ends_at = ends_at.into_iter().chain(verdict.ends_at).min();
                },
                _ => {
                    failing.insert(id.as_ref().to_owned());
                },
            }
        }
        if failing.is_empty() {
            PolicyOutcome::Passing { ends_at }
        } else {
            PolicyOutcome::Failing(failing)
        }
    }

    /// Whether any policy permits an identity to dial or to host a service, whatever its posture.
    pub fn has_any_right(&self, identity: &str, service: &str) -> bool {
        let grants = [ServiceGrant::Dial, ServiceGrant::Bind];
        grants.into_iter().any(|grant| {
            let judgement = self.judge(identity, service, grant, None, Timestamp::MIN);
            judgement != Judgement::NotGranted
        })
    }

    /// Evaluates a posture check; `None` if it is unknown or cannot be understood, and so is not passed.
    pub fn evaluate_check(&self, id: &str, client: &Client<'_>, now: Timestamp) -> Option<Verdict> {
        let check = self.posture_checks.get(id)?.usable()?;
        Some(evaluate(check, client, now))
    }

    /// The identity, if it may do anything.
    pub(super) fn enabled_identity(&self, id: &str) -> Option<&Identity> {
        let identity = self.identities.get(id)?;
        (!identity.is_disabled).then_some(identity)
    }
}

const fn gives(policy: &Policy, grant: ServiceGrant) -> bool {
    matches!(
        (policy.policy_type, grant),
        (PolicyType::Dial, ServiceGrant::Dial) | (PolicyType::Bind, ServiceGrant::Bind)
    )
}
