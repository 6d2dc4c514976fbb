//! Entities and randomness.

use portcullis_data_model::{Entity, EntityKey, Kind, Policy};
use portcullis_seeded_random::Random;
use portcullis_wire::control::data_model::{
    Config, ConfigType, Identity, PolicyType, PostureCheck, PublicKey, Revocation, Router, Service,
};
use std::collections::{BTreeMap, BTreeSet};

/// Some of the entities of a kind.
fn subset(random: &mut Random, truth: &Truth, kind: Kind) -> BTreeSet<String> {
    let ids = truth.keys().filter(|key| key.kind == kind);
    ids.filter(|_| random.one_in(2))
        .map(|key| key.id.clone())
        .collect()
}

/// All entities, as the records have them.
pub(crate) type Truth = BTreeMap<EntityKey, Entity>;

pub(crate) fn key(kind: Kind, id: &str) -> EntityKey {
    EntityKey {
        kind,
        id: id.to_owned(),
    }
}

pub(crate) fn config_type(id: &str, target: &str) -> Entity {
    Entity::ConfigType(ConfigType {
        id: id.to_owned(),
        name: id.to_owned(),
        target: target.to_owned(),
    })
}

pub(crate) fn config(id: &str, kind: &str, name: &str) -> Entity {
    Entity::Config(Config {
        id: id.to_owned(),
        type_id: kind.to_owned(),
        name: name.to_owned(),
        ..Config::default()
    })
}

pub(crate) fn identity(id: &str, name: &str) -> Entity {
    Entity::Identity(Box::new(Identity {
        id: id.to_owned(),
        name: name.to_owned(),
        ..Identity::default()
    }))
}

pub(crate) fn service(id: &str, name: &str) -> Entity {
    Entity::Service(Service {
        id: id.to_owned(),
        name: name.to_owned(),
        ..Service::default()
    })
}

pub(crate) fn router(id: &str, name: &str, configs: impl IntoIterator<Item = String>) -> Entity {
    Entity::Router(Router {
        id: id.to_owned(),
        name: name.to_owned(),
        configs: configs.into_iter().collect(),
        ..Router::default()
    })
}

pub(crate) fn posture_check(id: &str, name: &str) -> Entity {
    Entity::PostureCheck(PostureCheck {
        id: id.to_owned(),
        name: name.to_owned(),
        ..PostureCheck::default()
    })
}

pub(crate) fn policy(id: &str, relations: [&[&str]; 3]) -> Policy {
    let [services, posture_checks, identities] =
        relations.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
    Policy {
        id: id.to_owned(),
        name: id.to_owned(),
        policy_type: PolicyType::Dial,
        services,
        posture_checks,
        identities,
    }
}

pub(crate) fn revocation(id: &str) -> Entity {
    Entity::Revocation(Revocation {
        id: id.to_owned(),
        kind: "JTI".to_owned(),
        ..Revocation::default()
    })
}

pub(crate) fn public_key(id: &str) -> PublicKey {
    PublicKey {
        key_id: id.to_owned(),
        ..PublicKey::default()
    }
}

/// Changes up to four entities at random; nothing names what is not there.
pub(crate) fn change(truth: &mut Truth, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let number = random.below(4);
        let name = format!("name {}", random.below(3));
        let id = |letter: char| format!("{letter}{number}");
        let entity = match random.below(8) {
            0 => config_type(
                &id('t'),
                if random.one_in(2) {
                    "router"
                } else {
                    "service"
                },
            ),
            1 => {
                let kind = format!("t{}", random.below(4));
                if !truth.contains_key(&key(Kind::ConfigType, &kind)) {
                    continue;
                }
                config(&id('c'), &kind, &name)
            },
            2 => identity(&id('i'), &name),
            3 => service(&id('s'), &name),
            4 => {
                let configs = subset(random, truth, Kind::Config);
                router(&format!("r{number}"), &name, configs)
            },
            5 => posture_check(&id('p'), &name),
            6 => Entity::Policy(Policy {
                name,
                services: subset(random, truth, Kind::Service),
                posture_checks: subset(random, truth, Kind::PostureCheck),
                identities: subset(random, truth, Kind::Identity),
                ..policy(&id('q'), [&[], &[], &[]])
            }),
            _ => revocation(&id('v')),
        };
        if random.one_in(3) {
            truth.remove(&entity.key());
        } else {
            truth.insert(entity.key(), entity);
        }
    }
    remove_dangling(truth);
}

fn remove_dangling(truth: &mut Truth) {
    let ids: BTreeSet<EntityKey> = truth.keys().cloned().collect();
    truth.retain(|_, entity| match entity {
        Entity::Config(config) => ids.contains(&key(Kind::ConfigType, &config.type_id)),
        _ => true,
    });
    let ids: BTreeSet<EntityKey> = truth.keys().cloned().collect();
    for entity in truth.values_mut() {
        match entity {
            Entity::Policy(policy) => {
                let exists = |kind, id: &String| ids.contains(&key(kind, id));
                policy.services.retain(|id| exists(Kind::Service, id));
                policy.identities.retain(|id| exists(Kind::Identity, id));
                policy
                    .posture_checks
                    .retain(|id| exists(Kind::PostureCheck, id));
            },
            Entity::Router(router) => router
                .configs
                .retain(|id| ids.contains(&key(Kind::Config, id))),
            _ => {},
        }
    }
}

/// What a router should know.
pub(crate) fn seen_by(receiver: &str, truth: &Truth) -> Truth {
    let listed = match truth.get(&key(Kind::Router, receiver)) {
        Some(Entity::Router(router)) => router.configs.as_slice(),
        _ => &[],
    };
    let is_seen = |entity: &Entity| match entity {
        Entity::Config(config) => match truth.get(&key(Kind::ConfigType, &config.type_id)) {
            Some(Entity::ConfigType(kind)) => {
                kind.target != "router" || listed.contains(&config.id)
            },
            _ => panic!("a config without a type"),
        },
        _ => true,
    };
    let seen = truth.iter().filter(|(_, entity)| is_seen(entity));
    seen.map(|(key, entity)| (key.clone(), entity.clone()))
        .collect()
}
