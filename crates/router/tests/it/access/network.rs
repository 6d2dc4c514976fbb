//! Entities of the model, and random changes of them.

use portcullis_data_model::{Entity, EntityKey, Kind, Policy};
use portcullis_seeded_random::Random;
use portcullis_wire::control::data_model::{
    Action, Config, ConfigType, Domains, Event, Identity, Mfa, OperatingSystem, OperatingSystems,
    PolicyType, PostureCheck, PostureCheckKind, PublicKey, RelatedEntity, Revocation, Router,
    Service, ServiceConfigs, ServicePolicy, ServicePolicyChange, Subject,
};
use std::collections::{BTreeMap, BTreeSet};

/// All entities, as the controller's records have them.
pub(crate) type Truth = BTreeMap<EntityKey, Entity>;

/// Entities of each kind in random networks.
pub(crate) const COUNT: u64 = 4;

pub(crate) fn key(kind: Kind, id: &str) -> EntityKey {
    EntityKey {
        kind,
        id: id.to_owned(),
    }
}

pub(crate) fn identity(id: &str) -> Identity {
    Identity {
        id: id.to_owned(),
        name: format!("name of {id}"),
        ..Identity::default()
    }
}

pub(crate) fn service(id: &str) -> Service {
    Service {
        id: id.to_owned(),
        name: format!("name of {id}"),
        ..Service::default()
    }
}

pub(crate) fn posture_check(id: &str, kind: Option<PostureCheckKind>) -> PostureCheck {
    PostureCheck {
        id: id.to_owned(),
        name: format!("name of {id}"),
        kind,
        ..PostureCheck::default()
    }
}

pub(crate) fn linux(versions: &[&str]) -> PostureCheckKind {
    PostureCheckKind::OperatingSystem(Box::new(OperatingSystems {
        systems: vec![OperatingSystem {
            kind: "Linux".to_owned(),
            versions: versions.iter().map(|&text| text.to_owned()).collect(),
        }],
    }))
}

pub(crate) fn second_factor(timeout_seconds: i64) -> PostureCheckKind {
    PostureCheckKind::Mfa(Box::new(Mfa {
        timeout_seconds,
        ..Mfa::default()
    }))
}

pub(crate) fn domain(name: &str) -> PostureCheckKind {
    PostureCheckKind::Domains(Box::new(Domains {
        domains: vec![name.to_owned()],
    }))
}

pub(crate) fn public_key(id: &str) -> PublicKey {
    PublicKey {
        key_id: id.to_owned(),
        ..PublicKey::default()
    }
}

pub(crate) fn insert(truth: &mut Truth, entity: Entity) {
    truth.insert(entity.key(), entity);
}

/// Changes up to four entities; nothing names what is not there.
pub(crate) fn change(truth: &mut Truth, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let entity = random_entity(truth, random);
        if random.one_in(10) {
            truth.remove(&entity.key());
        } else {
            insert(truth, entity);
        }
    }
    remove_dangling(truth);
}

fn random_entity(truth: &Truth, random: &mut Random) -> Entity {
    let number = random.below(COUNT);
    let id = |letter: char| format!("{letter}{number}");
    match random.below(10) {
        0 => Entity::ConfigType(ConfigType {
            id: id('t'),
            name: id('t'),
            target: "service".to_owned(),
        }),
        1 => Entity::Config(Config {
            id: id('c'),
            type_id: format!("t{}", random.below(COUNT)),
            name: id('c'),
            data_json: format!("{{\"port\":{}}}", random.below(3)).into(),
        }),
        2 => {
            let overridden = format!("s{}", random.below(COUNT));
            let config = format!("c{}", random.below(COUNT));
            let configs = ServiceConfigs {
                configs: [("t0".to_owned(), config)].into(),
            };
            Entity::Identity(Box::new(Identity {
                is_disabled: random.one_in(5),
                service_configs: [(overridden, configs)].into(),
                ..identity(&id('i'))
            }))
        },
        3 => Entity::Service(Service {
            name: format!("name {}", random.below(3)),
            requires_encryption: random.one_in(2),
            configs: subset(truth, random, Kind::Config).into_iter().collect(),
            ..service(&id('s'))
        }),
        4 => Entity::Router(Router {
            id: id('r'),
            is_disabled: random.one_in(2),
            ..Router::default()
        }),
        5 => Entity::PostureCheck(posture_check(&id('p'), random_check(random))),
        6 => Entity::Revocation(Revocation {
            id: id('v'),
            kind: "JTI".to_owned(),
            ..Revocation::default()
        }),
        _ => Entity::Policy(Policy {
            id: id('q'),
            name: format!("name {}", random.below(3)),
            policy_type: match random.below(5) {
                0 => PolicyType::Invalid,
                1 | 2 => PolicyType::Bind,
                _ => PolicyType::Dial,
            },
            services: subset(truth, random, Kind::Service),
            posture_checks: if random.one_in(2) {
                BTreeSet::new()
            } else {
                subset(truth, random, Kind::PostureCheck)
            },
            identities: subset(truth, random, Kind::Identity),
        }),
    }
}

fn random_check(random: &mut Random) -> Option<PostureCheckKind> {
    Some(match random.below(10) {
        0 => return None,
        1 => linux(&[]),
        2 => linux(&[">=5.0.0"]),
        3 => linux(&["nonsense"]),
        4 => second_factor(-1),
        5..=7 => second_factor(600),
        8 => domain("example.test"),
        _ => domain("other.test"),
    })
}

fn subset(truth: &Truth, random: &mut Random, kind: Kind) -> BTreeSet<String> {
    let ids = truth.keys().filter(|key| key.kind == kind);
    ids.filter(|_| random.one_in(2))
        .map(|key| key.id.clone())
        .collect()
}

fn remove_dangling(truth: &mut Truth) {
    let ids: BTreeSet<EntityKey> = truth.keys().cloned().collect();
    let exists = |kind, id: &str| ids.contains(&key(kind, id));
    truth.retain(|_, entity| match entity {
        Entity::Config(config) => exists(Kind::ConfigType, &config.type_id),
        _ => true,
    });
    for entity in truth.values_mut() {
        if let Entity::Policy(policy) = entity {
            policy.services.retain(|id| exists(Kind::Service, id));
            policy.identities.retain(|id| exists(Kind::Identity, id));
            policy
                .posture_checks
                .retain(|id| exists(Kind::PostureCheck, id));
        }
    }
}

/// Creations of all entities, each after those that it names.
pub(crate) fn creations(truth: &Truth) -> Vec<Event> {
    let relations = |policy: &Policy| {
        [
            (RelatedEntity::Service, &policy.services),
            (RelatedEntity::PostureCheck, &policy.posture_checks),
            (RelatedEntity::Identity, &policy.identities),
        ]
        .map(|(entity_type, ids)| {
            Subject::ServicePolicyChange(Box::new(ServicePolicyChange {
                policy_id: policy.id.clone(),
                entity_ids: ids.iter().cloned().collect(),
                entity_type,
                adds: true,
            }))
        })
    };
    let mut subjects = Vec::new();
    for entity in truth.values().cloned() {
        match entity {
            Entity::ConfigType(entity) => subjects.push(Subject::ConfigType(Box::new(entity))),
            Entity::Config(entity) => subjects.push(Subject::Config(Box::new(entity))),
            Entity::Identity(entity) => subjects.push(Subject::Identity(entity)),
            Entity::Service(entity) => subjects.push(Subject::Service(Box::new(entity))),
            Entity::Router(entity) => subjects.push(Subject::Router(Box::new(entity))),
            Entity::PostureCheck(entity) => subjects.push(Subject::PostureCheck(Box::new(entity))),
            Entity::Revocation(entity) => subjects.push(Subject::Revocation(Box::new(entity))),
            Entity::Policy(policy) => {
                subjects.push(Subject::ServicePolicy(Box::new(ServicePolicy {
                    id: policy.id.clone(),
                    name: policy.name.clone(),
                    policy_type: policy.policy_type,
                })));
                subjects.extend(relations(&policy));
            },
        }
    }
    subjects.into_iter().map(creation).collect()
}

pub(crate) const fn creation(subject: Subject) -> Event {
    Event {
        action: Action::Create,
        is_synthetic: false,
        subject: Some(subject),
    }
}

/// Names what an event is about; `None` for relations and keys.
pub(crate) fn subject_key(subject: &Subject) -> Option<EntityKey> {
    Some(match subject {
        Subject::ConfigType(entity) => key(Kind::ConfigType, &entity.id),
        Subject::Config(entity) => key(Kind::Config, &entity.id),
        Subject::Identity(entity) => key(Kind::Identity, &entity.id),
        Subject::Service(entity) => key(Kind::Service, &entity.id),
        Subject::Router(entity) => key(Kind::Router, &entity.id),
        Subject::PostureCheck(entity) => key(Kind::PostureCheck, &entity.id),
        Subject::Revocation(entity) => key(Kind::Revocation, &entity.id),
        Subject::ServicePolicy(entity) => key(Kind::Policy, &entity.id),
        Subject::ServicePolicyChange(_) | Subject::PublicKey(_) => return None,
    })
}

/// The network as a router has been told.
pub(crate) fn told(world: &super::world::World) -> Truth {
    world.control.model().entities().collect()
}
