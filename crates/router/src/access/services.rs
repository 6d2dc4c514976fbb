//! The services of an identity as subscribed SDKs are told of them.

use super::model::{DataModel, IdentityService, Policy};
use portcullis_wire::Content as _;
use portcullis_wire::control::data_model::{
    PolicyType, PostureCheck, PostureCheckKind, Process, Service,
};
use portcullis_wire::edge::{
    ChangedPolicy, ChangedPostureCheck, ChangedService, ConfigData, Operation, PolicyKind,
    RequiredProcess, ServiceChangeSet,
};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Grace after a wake-up or unlock until a code is demanded.
const GRACE_SECONDS: i32 = portcullis_domain::posture::PROMPT_GRACE_SECONDS.cast_signed();
const PROCESSES: &str = "PROCESS_MULTI";
const ALL_OF: &str = "AllOf";

/// The services of an identity, the policies that permit them, and the checks of those.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ServiceView {
    services: BTreeMap<String, ChangedService>,
    pub(super) policies: BTreeMap<String, ChangedPolicy>,
    pub(super) checks: BTreeMap<String, ChangedPostureCheck>,
}

/// What a subscriber was told, by digests: its configurations need not stay in memory for each subscriber.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToldServices {
    services: Digests,
    policies: Digests,
    checks: Digests,
}

/// By id. `None` is like nothing else.
type Digests = BTreeMap<String, Option<Digest>>;
/// The first half of a SHA-256.
type Digest = [u8; 16];

impl ServiceView {
    pub(super) fn new(model: &DataModel, identity: &str) -> Self {
        let mut view = Self::default();
        for service in model.services_of(identity) {
            for policy in &service.policies {
                view.policies
                    .entry(policy.id.as_ref().to_owned())
                    .or_insert_with(|| changed_policy(policy));
                for id in &policy.posture_checks {
                    if let Some(check) = model.posture_check(id) {
                        view.checks
                            .entry(id.as_ref().to_owned())
                            .or_insert_with(|| changed_check(check));
                    }
                }
            }
            let told = changed_service(&service);
            view.services.insert(told.id.clone(), told);
        }
        view
    }

    pub(super) fn to_told(&self) -> ToldServices {
        ToldServices {
            services: digests(&self.services),
            policies: digests(&self.policies),
            checks: digests(&self.checks),
        }
    }

    /// What leads from what a subscriber was told to this view.
    pub(super) fn since(&self, before: &ToldServices) -> ServiceChangeSet {
        ServiceChangeSet {
            services: difference(&before.services, &self.services),
            policies: difference(&before.policies, &self.policies),
            posture_checks: difference(&before.checks, &self.checks),
            ..ServiceChangeSet::default()
        }
    }
}

/// What changes are told of.
trait Told: Clone {
    fn with(self, operation: Operation) -> Self;
    /// What is told when it is gone.
    fn removed(id: &str) -> Self;
    /// A message with nothing else.
    fn alone(self) -> ServiceChangeSet;

    fn digest(&self) -> Option<Digest> {
        let (_, body) = self.clone().alone().encode().ok()?;
        Sha256::digest(&body).first_chunk().copied()
    }
}

macro_rules! told {
    ($($kind:ident: $field:ident),*) => {$(
        impl Told for $kind {
            fn with(self, operation: Operation) -> Self {
                Self { operation, ..self }
            }

            fn removed(id: &str) -> Self {
                Self {
                    operation: Operation::Removed,
                    id: id.to_owned(),
                    ..Self::default()
                }
            }

            fn alone(self) -> ServiceChangeSet {
                ServiceChangeSet {
                    $field: vec![self],
                    ..ServiceChangeSet::default()
                }
            }
        }
    )*};
}
told!(ChangedService: services, ChangedPolicy: policies, ChangedPostureCheck: posture_checks);

fn digests<T: Told>(entities: &BTreeMap<String, T>) -> Digests {
    let entities = entities.iter();
    entities
        .map(|(id, entity)| (id.clone(), entity.digest()))
        .collect()
}

fn difference<T: Told>(before: &Digests, now: &BTreeMap<String, T>) -> Vec<T> {
    let gone = before.keys().filter(|id| !now.contains_key(*id));
    let changed = now.iter().filter_map(|(id, entity)| match before.get(id) {
        None => Some(entity.clone().with(Operation::Added)),
        Some(told) if told.is_some() && *told == entity.digest() => None,
        Some(_) => Some(entity.clone().with(Operation::Updated)),
    });
    gone.map(|id| T::removed(id)).chain(changed).collect()
}

fn changed_service(granted: &IdentityService<'_>) -> ChangedService {
    let service: &Service = granted.service;
    let configs = granted.configs.iter();
    ChangedService {
        operation: Operation::Added,
        id: service.id.clone(),
        name: service.name.clone(),
        requires_encryption: service.requires_encryption,
        configs: configs.clone().map(|one| one.config.id.clone()).collect(),
        policy_ids: granted
            .policies
            .iter()
            .map(|policy| policy.id.as_ref().to_owned())
            .collect(),
        config_data: configs
            .map(|one| ConfigData {
                type_id: one.config_type.id.clone(),
                type_name: one.config_type.name.clone(),
                data_json: one.config.data_json.clone(),
            })
            .collect(),
    }
}

fn changed_policy(policy: &Policy) -> ChangedPolicy {
    ChangedPolicy {
        operation: Operation::Added,
        id: policy.id.as_ref().to_owned(),
        kind: match policy.policy_type {
            PolicyType::Bind => PolicyKind::Bind,
            _ => PolicyKind::Dial,
        },
        posture_check_ids: policy
            .posture_checks
            .iter()
            .map(|id| id.as_ref().to_owned())
            .collect(),
    }
}

fn changed_check(check: &PostureCheck) -> ChangedPostureCheck {
    let mut told = ChangedPostureCheck {
        operation: Operation::Added,
        id: check.id.clone(),
        kind: check.type_id.clone(),
        ..ChangedPostureCheck::default()
    };
    match &check.kind {
        Some(PostureCheckKind::Mfa(mfa)) => {
            told.prompt_grace_seconds = GRACE_SECONDS;
            told.prompts_on_wake = mfa.prompts_on_wake;
            told.prompts_on_unlock = mfa.prompts_on_unlock;
            told.timeout_seconds = mfa.timeout_seconds;
        },
        Some(PostureCheckKind::Process(process)) => {
            PROCESSES.clone_into(&mut told.kind);
            ALL_OF.clone_into(&mut told.semantic);
            told.processes = vec![required_process(process)];
        },
        Some(PostureCheckKind::Processes(several)) => {
            told.semantic.clone_from(&several.semantic);
            told.processes = several.processes.iter().map(required_process).collect();
        },
        _ => {},
    }
    told
}

fn required_process(process: &Process) -> RequiredProcess {
    RequiredProcess {
        operating_system: process.operating_system.clone(),
        path: process.path.clone(),
    }
}
