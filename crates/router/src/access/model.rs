//! The router's copy of the data model, and what it says about rights.

mod configs;
mod entities;
mod events;
mod index;
mod json;
mod judgement;
mod policies;
mod posture_check;
mod revocations;
mod services;
mod touched;

pub use configs::EffectiveConfig;
pub use json::ModelTooLargeError;
pub use judgement::Judgement;
pub use policies::Policy;
pub use services::IdentityService;
pub use touched::Touched;

use entities::Entities;
use policies::Policies;
use portcullis_data_model::{Entity, EntityKey, Kind};
use portcullis_wire::control::data_model::{
    Action, Config, ConfigType, Event, Identity, PostureCheck, PublicKey, Revocation, Router,
    Service, Subject,
};
use posture_check::UsableCheck;
use services::Services;
use std::sync::Arc;

/// The entities that a controller has told of. A copy costs nothing, and stays as it is when the original changes.
///
/// Whatever arrives is taken over, in any order: what names something unknown counts for nothing until that
/// is known, and a posture check that is unknown or cannot be understood is never passed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataModel {
    config_types: Entities<ConfigType>,
    configs: Entities<Config>,
    identities: Entities<Identity>,
    services: Services,
    routers: Entities<Router>,
    posture_checks: Entities<UsableCheck>,
    policies: Policies,
    public_keys: Entities<PublicKey>,
    revocations: Entities<Revocation>,
}

impl DataModel {
    /// Takes over events in their order, and tells what they may have an effect on.
    pub fn apply(&mut self, events: impl IntoIterator<Item = Event>) -> Touched {
        let mut touched = Touched::default();
        for event in events {
            self.apply_one(event, &mut touched);
        }
        touched
    }

    fn apply_one(&mut self, event: Event, touched: &mut Touched) {
        let Some(subject) = event.subject else {
            return; // Of a kind that this version does not know.
        };
        let deletes = match event.action {
            Action::Create | Action::Update => false,
            Action::Delete => true,
            Action::Unrecognized(_) => return,
        };
        match subject {
            Subject::ConfigType(entity) => {
                touched.configs();
                put(&mut self.config_types, entity.id.clone(), *entity, deletes);
            },
            Subject::Config(entity) => {
                touched.configs();
                put(&mut self.configs, entity.id.clone(), *entity, deletes);
            },
            Subject::Identity(entity) => {
                touched.identity(&entity.id);
                if deletes {
                    self.policies.forget(Kind::Identity, &entity.id);
                }
                put(&mut self.identities, entity.id.clone(), *entity, deletes);
            },
            Subject::Service(entity) => {
                touched.service(&entity.id);
                touched.policies(self.policies.of_service(&entity.id));
                if deletes {
                    self.policies.forget(Kind::Service, &entity.id);
                    self.services.remove(&entity.id);
                } else {
                    self.services.put(*entity);
                }
            },
            Subject::Router(entity) => {
                put(&mut self.routers, entity.id.clone(), *entity, deletes);
            },
            Subject::PostureCheck(entity) => {
                touched.policies(self.policies.of_check(&entity.id));
                if deletes {
                    self.policies.forget(Kind::PostureCheck, &entity.id);
                }
                let id = entity.id.clone();
                put(
                    &mut self.posture_checks,
                    id,
                    UsableCheck::new(*entity),
                    deletes,
                );
            },
            Subject::ServicePolicy(policy) if deletes => {
                if let Some(gone) = self.policies.remove(&policy.id) {
                    touched.policy(&gone.id);
                    touched.identities(&gone.identities);
                }
            },
            Subject::ServicePolicy(policy) => {
                touched.policy(&policy.id);
                self.policies.put(*policy);
            },
            Subject::ServicePolicyChange(change) => {
                touched.relation(&change);
                self.policies.relate(&change);
            },
            Subject::PublicKey(key) => {
                touched.keys();
                put(&mut self.public_keys, key.key_id.clone(), *key, deletes);
            },
            Subject::Revocation(entity) => {
                touched.revocation(&entity);
                put(&mut self.revocations, entity.id.clone(), *entity, deletes);
            },
        }
    }

    pub fn identity(&self, id: &str) -> Option<&Identity> {
        self.identities.get(id)
    }

    pub fn service(&self, id: &str) -> Option<&Service> {
        self.services.get(id)
    }

    pub fn service_by_name(&self, name: &str) -> Option<&Service> {
        self.services.by_name(name)
    }

    pub fn router(&self, id: &str) -> Option<&Router> {
        self.routers.get(id)
    }

    pub fn policy(&self, id: &str) -> Option<&Policy> {
        self.policies.get(id)
    }

    pub fn posture_check(&self, id: &str) -> Option<&PostureCheck> {
        self.posture_checks.get(id).map(UsableCheck::definition)
    }

    /// By id: SHA-1 in lower-case hex.
    pub fn public_key(&self, id: &str) -> Option<&Arc<PublicKey>> {
        self.public_keys.shared(id)
    }

    pub fn public_keys(&self) -> impl Iterator<Item = &Arc<PublicKey>> {
        self.public_keys.all_shared()
    }

    /// Posture checks that cannot be understood, and so are never passed.
    pub fn unusable_checks(&self) -> impl Iterator<Item = &str> {
        let checks = self.posture_checks.iter();
        checks
            .filter(|(_, check)| check.usable().is_none())
            .map(|(id, _)| id)
    }

    /// The entities of all kinds, without public keys.
    pub fn entities(&self) -> impl Iterator<Item = (EntityKey, Entity)> {
        let config_types = self.config_types.values().cloned().map(Entity::ConfigType);
        let configs = self.configs.values().cloned().map(Entity::Config);
        let identities = self.identities.values().cloned();
        let services = self.services.iter().cloned().map(Entity::Service);
        let routers = self.routers.values().cloned().map(Entity::Router);
        let checks = self.posture_checks.values();
        let policies = self.policies.iter();
        let revocations = self.revocations.values().cloned().map(Entity::Revocation);
        config_types
            .chain(configs)
            .chain(identities.map(|identity| Entity::Identity(Box::new(identity))))
            .chain(services)
            .chain(routers)
            .chain(checks.map(|check| Entity::PostureCheck(check.definition().clone())))
            .chain(policies.map(|policy| Entity::Policy(policy.into())))
            .chain(revocations)
            .map(|entity| (entity.key(), entity))
    }
}

fn put<T>(entities: &mut Entities<T>, id: String, entity: T, deletes: bool) {
    if deletes {
        entities.remove(&id);
    } else {
        entities.put(id, entity);
    }
}
