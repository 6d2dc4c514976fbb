//! Rights by the letter: all policies are read each time, and checks are understood one by one.

use super::network::{Truth, key};
use portcullis_data_model::{Entity, Kind};
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::control::data_model::{PolicyType, PostureCheckKind};

/// What is known of a machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Machine {
    /// Name and version.
    pub(crate) system: Option<(String, String)>,
    pub(crate) domain: Option<String>,
    /// In seconds.
    pub(crate) totp_passed_at: Option<i64>,
}

/// Whether an identity has a right at a second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Right {
    Granted { ends_at: Option<i64> },
    Failing(Vec<String>),
    None,
}

/// When what has no end ends.
const NEVER: i64 = i64::MAX;

/// When a check ends; `None` if it fails.
fn check(truth: &Truth, id: &str, machine: &Machine, now: i64) -> Option<i64> {
    let Some(Entity::PostureCheck(check)) = truth.get(&key(Kind::PostureCheck, id)) else {
        return None;
    };
    let holds = |holds: bool| holds.then_some(NEVER);
    match check.kind.as_ref()? {
        PostureCheckKind::OperatingSystem(systems) => {
            let (name, version) = machine.system.as_ref()?;
            let asked = &systems.systems[0];
            if !asked.kind.eq_ignore_ascii_case(name) {
                return None;
            }
            match asked.versions.as_slice() {
                [] => holds(true),
                [range] if range == ">=5.0.0" => holds(version.as_str() >= "5.0.0"),
                _ => None,
            }
        },
        PostureCheckKind::Domains(domains) => {
            holds(machine.domain.as_ref() == domains.domains.first())
        },
        PostureCheckKind::Mfa(mfa) => {
            let passed_at = machine.totp_passed_at?;
            if mfa.timeout_seconds < 0 {
                return holds(true);
            }
            let end = passed_at + mfa.timeout_seconds;
            (now < end).then_some(end)
        },
        _ => None,
    }
}

pub(crate) fn judge(
    truth: &Truth,
    identity: &str,
    service: &str,
    grant: ServiceGrant,
    machine: &Machine,
    now: i64,
) -> Right {
    match truth.get(&key(Kind::Identity, identity)) {
        Some(Entity::Identity(found)) if !found.is_disabled => {},
        _ => return Right::None,
    }
    if !truth.contains_key(&key(Kind::Service, service)) {
        return Right::None;
    }
    let wanted = match grant {
        ServiceGrant::Dial => PolicyType::Dial,
        ServiceGrant::Bind => PolicyType::Bind,
    };
    let mut ends = Vec::new();
    let mut failing: Option<Vec<String>> = None;
    for entity in truth.values() {
        let Entity::Policy(policy) = entity else {
            continue;
        };
        let relates = policy.policy_type == wanted
            && policy.identities.contains(identity)
            && policy.services.contains(service);
        if !relates {
            continue;
        }
        let checks = policy.posture_checks.iter();
        let checks: Vec<_> = checks
            .map(|id| (id, check(truth, id, machine, now)))
            .collect();
        let failed: Vec<_> = checks
            .iter()
            .filter(|(_, outcome)| outcome.is_none())
            .map(|(id, _)| (*id).clone())
            .collect();
        if failed.is_empty() {
            let ends_of_checks = checks.iter().filter_map(|(_, end)| *end);
            ends.push(ends_of_checks.min().unwrap_or(NEVER));
        } else {
            failing.get_or_insert_default().extend(failed);
        }
    }
    if let Some(end) = ends.into_iter().max() {
        let ends_at = (end != NEVER).then_some(end);
        return Right::Granted { ends_at };
    }
    failing.map_or(Right::None, |mut failing| {
        failing.sort();
        failing.dedup();
        Right::Failing(failing)
    })
}
