//! A router that does with the model what real ones do.

use crate::support::{Truth, key};
use portcullis_data_model::{Entity, Kind, Policy, SubscriberId, Update};
use portcullis_wire::control::data_model::{
    Action, Event, PublicKey, RelatedEntity, ServicePolicyChange, Subject, Subscription,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(crate) struct Receiver {
    pub(crate) id: String,
    pub(crate) session: Option<SubscriberId>,
    /// On the way to the router.
    pub(crate) queue: VecDeque<Update>,
    pub(crate) model: Truth,
    pub(crate) keys: BTreeMap<String, PublicKey>,
    pub(crate) index: u64,
    timeline_id: String,
    subscriptions: u64,
    /// Times that a change set was missing.
    pub(crate) gaps: u64,
    pub(crate) states: u64,
    pub(crate) change_sets: u64,
}

impl Receiver {
    pub(crate) fn new(id: String) -> Self {
        Self {
            id,
            session: None,
            queue: VecDeque::new(),
            model: Truth::new(),
            keys: BTreeMap::new(),
            index: 0,
            timeline_id: String::new(),
            subscriptions: 0,
            gaps: 0,
            states: 0,
            change_sets: 0,
        }
    }

    pub(crate) fn subscription(&mut self, is_renewal: bool) -> Subscription {
        if !is_renewal {
            self.subscriptions += 1;
        }
        Subscription {
            current_index: self.index,
            duration_seconds: 300,
            is_renewal,
            timeline_id: self.timeline_id.clone(),
            subscription_id: format!("{}-{}", self.id, self.subscriptions),
        }
    }

    /// Takes an update. Returns whether the router subscribes anew.
    pub(crate) fn receive(&mut self, update: Update) -> bool {
        let own = format!("{}-{}", self.id, self.subscriptions);
        match update {
            Update::State {
                state,
                subscription_id,
            } if subscription_id == own => {
                let state = state.to_message();
                self.states += 1;
                self.model.clear();
                self.keys.clear();
                self.index = state.end_index;
                self.timeline_id.clone_from(&state.timeline_id);
                for event in &state.events {
                    self.apply(event.clone());
                }
                false
            },
            Update::Changes {
                changes,
                subscription_id,
            } if changes.is_synthetic => {
                assert_eq!(
                    (changes.index, subscription_id),
                    (0, None),
                    "keys have no index"
                );
                for event in &changes.events {
                    self.apply(event.clone());
                }
                false
            },
            Update::Changes {
                changes,
                subscription_id,
            } if subscription_id.as_ref() == Some(&own) => {
                if changes.previous_index != self.index {
                    self.gaps += 1;
                    return true;
                }
                assert!(changes.index > self.index, "indexes rise");
                self.change_sets += 1;
                self.index = changes.index;
                for event in &changes.events {
                    self.apply(event.clone());
                }
                false
            },
            Update::Index(announcement) => announcement.index > self.index,
            Update::State { .. } | Update::Changes { .. } => false,
        }
    }

    fn apply(&mut self, event: Event) {
        let deletes = event.action == Action::Delete;
        let entity = match event.subject.unwrap() {
            Subject::PublicKey(key) if deletes => {
                self.keys.remove(&key.key_id);
                return;
            },
            Subject::PublicKey(key) => {
                self.keys.insert(key.key_id.clone(), *key);
                return;
            },
            Subject::ServicePolicyChange(change) => return self.relate(*change),
            Subject::ServicePolicy(policy) => {
                let known = self.model.get(&key(Kind::Policy, &policy.id));
                let (services, posture_checks, identities) = match known {
                    Some(Entity::Policy(known)) => (
                        known.services.clone(),
                        known.posture_checks.clone(),
                        known.identities.clone(),
                    ),
                    _ => <(BTreeSet<_>, BTreeSet<_>, BTreeSet<_>)>::default(),
                };
                Entity::Policy(Policy {
                    id: policy.id,
                    name: policy.name,
                    policy_type: policy.policy_type,
                    services,
                    posture_checks,
                    identities,
                })
            },
            Subject::ConfigType(entity) => Entity::ConfigType(*entity),
            Subject::Config(entity) => Entity::Config(*entity),
            Subject::Identity(entity) => Entity::Identity(entity),
            Subject::Service(entity) => Entity::Service(*entity),
            Subject::Router(entity) => Entity::Router(*entity),
            Subject::PostureCheck(entity) => Entity::PostureCheck(*entity),
            Subject::Revocation(entity) => Entity::Revocation(*entity),
        };
        if deletes {
            self.model.remove(&entity.key());
            return;
        }
        match &entity {
            Entity::Config(config) => self.expect(Kind::ConfigType, &config.type_id),
            Entity::Router(router) if router.id == self.id => {
                for config in &router.configs {
                    self.expect(Kind::Config, config);
                }
            },
            _ => {},
        }
        self.model.insert(entity.key(), entity);
    }

    /// A relation with something unknown would be lost.
    fn relate(&mut self, change: ServicePolicyChange) {
        let kind = match change.entity_type {
            RelatedEntity::Service => Kind::Service,
            RelatedEntity::Identity => Kind::Identity,
            _ => Kind::PostureCheck,
        };
        for id in &change.entity_ids {
            self.expect(kind, id);
        }
        let policy = self.model.get_mut(&key(Kind::Policy, &change.policy_id));
        let Some(Entity::Policy(policy)) = policy else {
            panic!("a relation of an unknown policy");
        };
        let related = match kind {
            Kind::Service => &mut policy.services,
            Kind::Identity => &mut policy.identities,
            _ => &mut policy.posture_checks,
        };
        for id in change.entity_ids {
            let is_news = if change.adds {
                related.insert(id)
            } else {
                related.remove(&id)
            };
            assert!(is_news, "a relation that is told twice");
        }
    }

    fn expect(&self, kind: Kind, id: &str) {
        assert!(
            self.model.contains_key(&key(kind, id)),
            "{kind:?} {id} is named before it is known"
        );
    }
}
