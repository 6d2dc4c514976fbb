//! What a router was told of the model and of sessions, as real ones take it.

use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    Action, ChangeSet, DataState, Event, RelatedEntity, Subject, Subscription,
};
use portcullis_wire::control::session::{ApiSession, ApiSessionsAdded};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default, Clone)]
pub(crate) struct Knowledge {
    router: String,
    subscriptions: u64,
    index: u64,
    timeline: String,
    /// Whether there was a state since the last subscription.
    pub(crate) is_subscribed: bool,
    pub(crate) model: Model,
    /// Sessions by their tokens.
    pub(crate) sessions: BTreeMap<String, ApiSession>,
    /// A full state of sessions that is not complete.
    arriving: Arriving,
}

/// Entities by kind and id, and what policies relate.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Model {
    pub(crate) entities: BTreeMap<(&'static str, String), Subject>,
    pub(crate) relations: BTreeSet<(String, RelatedEntity, String)>,
}

#[derive(Debug, Default, Clone)]
struct Arriving {
    id: String,
    parts: BTreeMap<u64, Vec<ApiSession>>,
    count: Option<u64>,
}

impl Knowledge {
    /// Asks for the model, or for what is new of it.
    pub(crate) fn subscribe(&mut self, router: &str) -> Subscription {
        router.clone_into(&mut self.router);
        self.subscriptions += 1;
        self.is_subscribed = false;
        self.subscription_of(false)
    }

    /// Goes on being subscribed.
    pub(crate) fn renew(&self) -> Subscription {
        self.subscription_of(true)
    }

    fn subscription_of(&self, is_renewal: bool) -> Subscription {
        Subscription {
            current_index: self.index,
            duration_seconds: 300,
            is_renewal,
            timeline_id: self.timeline.clone(),
            subscription_id: self.subscription(),
        }
    }

    fn subscription(&self) -> String {
        format!("{}-{}", self.router, self.subscriptions)
    }

    /// Takes what it is told; returns another subscription if something is missing.
    pub(crate) fn take(&mut self, message: ControlMessage) -> Option<Subscription> {
        match message {
            ControlMessage::DataState(state) => self.take_state(state),
            ControlMessage::ChangeSet(set) => return self.take_changes(set),
            ControlMessage::ApiSessionsAdded(added) => self.take_sessions(added),
            ControlMessage::ApiSessionsUpdated(updated) => self.add(updated.sessions.sessions),
            ControlMessage::ApiSessionsRemoved(removed) => {
                for token in removed.tokens {
                    self.sessions.remove(token.expose());
                }
            },
            _ => {},
        }
        None
    }

    fn take_state(&mut self, state: DataState) {
        if state.subscription_id != Some(self.subscription()) {
            return;
        }
        self.is_subscribed = true;
        self.model = Model::default();
        self.index = state.state.end_index;
        self.timeline = state.state.timeline_id;
        for event in state.state.events {
            self.model.apply(event);
        }
    }

    fn take_changes(&mut self, set: ChangeSet) -> Option<Subscription> {
        let changes = set.changes;
        if !changes.is_synthetic {
            if set.subscription_id != Some(self.subscription()) {
                return None;
            }
            self.is_subscribed = true;
            if changes.previous_index != self.index {
                let router = self.router.clone();
                return Some(self.subscribe(&router));
            }
            self.index = changes.index;
        }
        for event in changes.events {
            self.model.apply(event);
        }
        None
    }

    fn take_sessions(&mut self, added: ApiSessionsAdded) {
        if !added.sessions.is_full_state {
            self.add(added.sessions.sessions);
            return;
        }
        let state: Value = serde_json::from_str(&added.sync_state).unwrap();
        let id = state["id"].as_str().unwrap();
        if id > &*self.arriving.id {
            self.arriving = Arriving {
                id: id.to_owned(),
                ..Arriving::default()
            };
        }
        if id != self.arriving.id {
            return;
        }
        let number = state["sequence"].as_u64().unwrap();
        let parts = &mut self.arriving.parts;
        parts.insert(number, added.sessions.sessions);
        if state["isLast"] == true {
            self.arriving.count = Some(number + 1);
        }
        if self.arriving.count == Some(parts.len() as u64) {
            self.sessions.clear();
            let parts = std::mem::take(parts);
            self.add(parts.into_values().flatten());
        }
    }

    fn add(&mut self, sessions: impl IntoIterator<Item = ApiSession>) {
        for session in sessions {
            self.sessions
                .insert(session.token.expose().clone(), session);
        }
    }
}

impl Model {
    fn apply(&mut self, event: Event) {
        let subject = event.subject.unwrap();
        if let Subject::ServicePolicyChange(change) = &subject {
            for id in &change.entity_ids {
                let relation = (change.policy_id.clone(), change.entity_type, id.clone());
                if change.adds {
                    self.relations.insert(relation);
                } else {
                    self.relations.remove(&relation);
                }
            }
            return;
        }
        let (kind, id) = match &subject {
            Subject::Identity(entity) => ("identity", &entity.id),
            Subject::Service(entity) => ("service", &entity.id),
            Subject::ServicePolicy(entity) => ("policy", &entity.id),
            Subject::PostureCheck(entity) => ("check", &entity.id),
            Subject::PublicKey(entity) => ("key", &entity.key_id),
            Subject::Revocation(entity) => ("revocation", &entity.id),
            Subject::ServicePolicyChange(entity) => ("change", &entity.policy_id),
            Subject::ConfigType(entity) => ("type", &entity.id),
            Subject::Config(entity) => ("config", &entity.id),
            Subject::Router(entity) => ("router", &entity.id),
        };
        let key = (kind, id.clone());
        if event.action == Action::Delete {
            self.relations.retain(|(policy, ..)| *policy != key.1);
            self.entities.remove(&key);
        } else {
            self.entities.insert(key, subject);
        }
    }
}
