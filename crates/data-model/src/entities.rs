//! The model as it is.

use crate::audience::{AddressedEvent, Audience};
use crate::digest::Digest;
use crate::entity::{Entity, EntityKey, Kind, Relation};
use crate::full_state::SharedState;
use portcullis_wire::control::data_model::{Action, Config, Event, Router, Subject};
use std::collections::{BTreeMap, BTreeSet};

/// The target of configuration types that are for routers.
const ROUTER_TARGET: &str = "router";

/// All entities.
#[derive(Debug, Default)]
pub(crate) struct Entities {
    /// In the order of a full state.
    by_key: BTreeMap<EntityKey, Entity>,
    digest: Digest,
}

impl FromIterator<Entity> for Entities {
    fn from_iter<I: IntoIterator<Item = Entity>>(entities: I) -> Self {
        let mut all = Self::default();
        for entity in entities {
            all.set(entity.key(), Some(entity));
        }
        all
    }
}

impl Entities {
    pub(crate) fn get(&self, key: &EntityKey) -> Option<&Entity> {
        self.by_key.get(key)
    }

    pub(crate) const fn by_key(&self) -> &BTreeMap<EntityKey, Entity> {
        &self.by_key
    }

    pub(crate) const fn digest(&self) -> Digest {
        self.digest
    }

    /// Sets or removes an entity; returns what it was before.
    pub(crate) fn set(&mut self, key: EntityKey, entity: Option<Entity>) -> Option<Entity> {
        if self.by_key.get(&key) == entity.as_ref() {
            return entity;
        }
        if let Some(entity) = &entity {
            self.digest.add(Digest::of(entity));
        }
        let before = match entity {
            Some(entity) => self.by_key.insert(key, entity),
            None => self.by_key.remove(&key),
        };
        if let Some(before) = &before {
            self.digest.remove(Digest::of(before));
        }
        before
    }

    /// Adds a relation to a policy, or removes it; returns whether that is a change.
    pub(crate) fn relate(&mut self, relation: &Relation, is_related: bool) -> bool {
        let key = EntityKey {
            kind: Kind::Policy,
            id: relation.policy.clone(),
        };
        let Some(Entity::Policy(policy)) = self.by_key.get_mut(&key) else {
            return false;
        };
        let is_changed = policy.relate(&relation.entity, is_related);
        if is_changed {
            let digest = Digest::of_relation(relation);
            if is_related {
                self.digest.add(digest);
            } else {
                self.digest.remove(digest);
            }
        }
        is_changed
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Entity> {
        let first = EntityKey {
            kind,
            id: String::new(),
        };
        self.by_key
            .range(first..)
            .take_while(move |(key, _)| key.kind == kind)
            .map(|(_, entity)| entity)
    }

    /// Whether only the routers that list it may see a configuration.
    pub(crate) fn is_for_routers(&self, config: &Config) -> bool {
        let key = EntityKey {
            kind: Kind::ConfigType,
            id: config.type_id.clone(),
        };
        matches!(self.get(&key), Some(Entity::ConfigType(kind)) if kind.target == ROUTER_TARGET)
    }

    /// The configurations for routers, by id.
    pub(crate) fn router_configs(&self) -> BTreeSet<String> {
        self.of_kind(Kind::Config)
            .filter(
                |entity| matches!(entity, Entity::Config(config) if self.is_for_routers(config)),
            )
            .map(|entity| entity.id().to_owned())
            .collect()
    }

    /// Who may see a configuration.
    pub(crate) fn audience(&self, config: &Config) -> Audience {
        if !self.is_for_routers(config) {
            return Audience::Everyone;
        }
        let lists = |entity: &&Entity| matches!(entity, Entity::Router(router) if router.configs.contains(&config.id));
        Audience::Only(
            self.of_kind(Kind::Router)
                .filter(lists)
                .map(|entity| entity.id().to_owned())
                .collect(),
        )
    }

    /// The configurations for routers that `router` lists, as it has to know them before it hears of
    /// itself.
    pub(crate) fn configs_in_front_of(
        &self,
        router: &Router,
    ) -> impl Iterator<Item = AddressedEvent> {
        router.configs.iter().filter_map(|id| {
            let key = EntityKey {
                kind: Kind::Config,
                id: id.clone(),
            };
            let entity = self.get(&key)?;
            let Entity::Config(config) = entity else {
                return None;
            };
            self.is_for_routers(config).then(|| {
                AddressedEvent::new(Action::Create, entity.subject(), Audience::one(&router.id))
                    .synthetic()
            })
        })
    }

    /// What a router gets that others do not: the configurations for routers that it lists.
    pub(crate) fn configs_of_its_own(&self, receiver: &str) -> Vec<Event> {
        let key = EntityKey {
            kind: Kind::Router,
            id: receiver.to_owned(),
        };
        match self.get(&key) {
            Some(Entity::Router(router)) => self
                .configs_in_front_of(router)
                .map(|addressed| addressed.event)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// All that every router gets, with `keys` in their place.
    pub(crate) fn full_state(&self, keys: Vec<Event>) -> SharedState {
        let mut keys = Some(keys);
        let (mut before_routers, mut after) = (Vec::new(), Vec::new());
        for (key, entity) in &self.by_key {
            if key.kind == Kind::Revocation {
                after.extend(keys.take().into_iter().flatten());
            }
            if matches!(entity, Entity::Config(config) if self.is_for_routers(config)) {
                continue;
            }
            let events = if key.kind < Kind::Router {
                &mut before_routers
            } else {
                &mut after
            };
            events.push(create(entity.subject()));
            if let Entity::Policy(policy) = entity {
                let relations = policy.relations_beyond(None, true);
                events.extend(
                    relations
                        .map(|relation| create(Subject::ServicePolicyChange(Box::new(relation)))),
                );
            }
        }
        after.extend(keys.into_iter().flatten());
        SharedState {
            before_routers,
            after,
            ..SharedState::default()
        }
    }
}

const fn create(subject: Subject) -> Event {
    Event {
        action: Action::Create,
        is_synthetic: false,
        subject: Some(subject),
    }
}
