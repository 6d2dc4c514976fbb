//! Posture checks between an identity and a service.

use super::assessment::NamedEntity;
use super::paging::fetch_all;
use crate::error::{CliError, ErrorKind};
use crate::text::enumerate;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::service_policy::{PolicyType, ServicePolicyDetail};
use portcullis_client::{Client, ListQuery};
use portcullis_domain::ids::{IdentityId, ServiceId};
use serde::Serialize;
use std::collections::BTreeSet;

/// A service policy that grants access to sessions that pass its posture checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct GuardedPolicy {
    #[serde(flatten)]
    policy: NamedEntity,
    grants: PolicyType,
    /// All of them have to pass.
    checks: Vec<NamedEntity>,
}

/// The policies by which a service is granted to an identity, as far as posture checks stand before
/// the access. `None` for users who may not see policies or checks.
pub(super) async fn fetch(
    client: &Client,
    identity: &IdentityId,
    service: &ServiceId,
) -> Result<Option<Vec<GuardedPolicy>>, CliError> {
    match fetch_granting(client, identity, service).await {
        Ok(granting) => Ok(Some(guarded(granting))),
        Err(error) if error.kind() == ErrorKind::Unauthorized => Ok(None),
        Err(error) => Err(error),
    }
}

/// All policies by which a service is granted to an identity.
async fn fetch_granting(
    client: &Client,
    identity: &IdentityId,
    service: &ServiceId,
) -> Result<Vec<GuardedPolicy>, CliError> {
    let fetch = async |query: &ListQuery| client.service_policies_of_service(service, query).await;
    let of_service: Vec<ServicePolicyDetail> = fetch_all(usize::MAX, fetch).await?;
    let of_service: BTreeSet<_> = of_service
        .into_iter()
        .map(|policy| policy.base.id)
        .collect();
    let fetch =
        async |query: &ListQuery| client.service_policies_of_identity(identity, query).await;
    let mut of_identity: Vec<ServicePolicyDetail> = fetch_all(usize::MAX, fetch).await?;
    of_identity.sort_by(|one, other| one.name.cmp(&other.name));
    let mut granting = Vec::new();
    for policy in of_identity {
        let id = &policy.base.id;
        if !of_service.contains(id) {
            continue;
        }
        let mut checks: Vec<PostureCheckDetail> = Vec::new();
        if policy.posture_check_roles.is_some() {
            let fetch = async |query: &ListQuery| client.posture_checks_of_policy(id, query).await;
            checks = fetch_all(usize::MAX, fetch).await?;
            checks.sort_by(|one, other| one.name.cmp(&other.name));
        }
        let checks = checks.iter();
        let checks = checks.map(|check| NamedEntity::new(check.base.id.as_str(), &check.name));
        granting.push(GuardedPolicy {
            policy: NamedEntity::new(id.as_str(), &policy.name),
            grants: policy.kind,
            checks: checks.collect(),
        });
    }
    Ok(granting)
}

/// Leaves out access that any policy grants without checks.
fn guarded(mut granting: Vec<GuardedPolicy>) -> Vec<GuardedPolicy> {
    let open = granting.iter().filter(|policy| policy.checks.is_empty());
    let open: Vec<_> = open.map(|policy| policy.grants).collect();
    granting.retain(|policy| !open.contains(&policy.grants));
    granting
}

/// What sessions have to pass, for each access that is guarded.
pub(super) fn conditions(guarded: &[GuardedPolicy]) -> Vec<String> {
    let accesses = [(PolicyType::Dial, "dial"), (PolicyType::Bind, "bind")];
    let conditions = accesses.into_iter().filter_map(|(grants, verb)| {
        let policies = guarded.iter().filter(|policy| policy.grants == grants);
        let alternatives: Vec<_> = policies.map(GuardedPolicy::describe).collect();
        (!alternatives.is_empty()).then(|| {
            let alternatives = enumerate(&alternatives, "or");
            format!(
                "to {verb}, a session has to pass {alternatives}; see `portcullis posture-check list`"
            )
        })
    });
    conditions.collect()
}

impl GuardedPolicy {
    fn describe(&self) -> String {
        let noun = match self.checks.as_slice() {
            [_] => "check",
            _ => "checks",
        };
        let names = self.checks.iter().map(|check| format!("`{}`", check.name));
        let names = enumerate(&names.collect::<Vec<_>>(), "and");
        let policy = &self.policy.name;
        format!("the posture {noun} {names} of the service policy `{policy}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(name: &str, grants: PolicyType, checks: &[&str]) -> GuardedPolicy {
        let checks = checks.iter().map(|check| NamedEntity::new("c", check));
        GuardedPolicy {
            policy: NamedEntity::new("p", name),
            grants,
            checks: checks.collect(),
        }
    }

    #[test]
    fn policy_without_checks_opens_what_others_guard() {
        use PolicyType::{Bind, Dial};
        for (granting, told) in [
            (vec![], &[][..]),
            (vec![policy("p", Dial, &[])], &[]),
            (
                vec![policy("p", Dial, &["os"]), policy("q", Bind, &[])],
                &[
                    "to dial, a session has to pass the posture check `os` of the service policy `p`",
                ],
            ),
            (
                vec![policy("p", Dial, &["os"]), policy("q", Dial, &[])],
                &[],
            ),
            (
                vec![
                    policy("p", Dial, &["os", "mfa"]),
                    policy("q", Dial, &["mac"]),
                    policy("r", Bind, &["mac"]),
                ],
                &[
                    "to dial, a session has to pass the posture checks `os` and `mfa` of the service \
                     policy `p` or the posture check `mac` of the service policy `q`",
                    "to bind, a session has to pass the posture check `mac` of the service policy `r`",
                ],
            ),
        ] {
            let found = conditions(&guarded(granting));
            let found = found.iter().map(|line| line.split(';').next().unwrap());
            assert_eq!(found.collect::<Vec<_>>(), told);
        }
    }
}
