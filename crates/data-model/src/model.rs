//! The model, its log and those that follow it.

use crate::audience::Audience;
use crate::comparison::{Difference, differences};
use crate::difference::{self, Before};
use crate::entities::Entities;
use crate::entity::{Entity, EntityKey, Kind, Relation};
use crate::full_state::{FullState, SharedState};
use crate::keys::Keys;
use crate::log::Log;
use crate::position::Position;
use crate::state_pacing::StatePacing;
use crate::subscriber::{
    ANNOUNCEMENT_INTERVAL, Cursor, Lease, OnTheWay, Subscriber, SubscriberId, Update,
};
use portcullis_channel::Moment;
use portcullis_wire::control::data_model::{PublicKey, Subscription};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Shortest and longest subscription in seconds.
const LEASE_SECONDS: (u32, u32) = (10, 360);

/// Limits.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Change sets that are kept.
    pub max_change_sets: usize,
    /// Bytes of change sets that are kept, as on the wire.
    pub max_bytes: usize,
    /// Updates of one router on the way at a time; at least one. A full state goes alone.
    pub credit: usize,
    /// Time between two full states for one router, whatever it asks for.
    pub state_interval: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_change_sets: 10_000,
            max_bytes: 16 * 1024 * 1024,
            credit: 16,
            state_interval: Duration::from_secs(2),
        }
    }
}

/// What a transaction did to an entity.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It was created or updated, or only written.
    Set(Entity),
    Removed(EntityKey),
    /// A policy relates an entity from now on, or no longer. Policies that are set or removed in the same
    /// transaction relate what is said there.
    Related {
        relation: Relation,
        is_related: bool,
    },
}

/// A commit whose index is not after the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the router data model is at index {last}: it cannot go on at {index}")]
pub struct NotRising {
    pub last: u64,
    pub index: u64,
}

/// The router data model.
#[derive(Debug)]
pub struct DataModel {
    options: Options,
    timeline_id: String,
    index: u64,
    entities: Entities,
    keys: Arc<Keys>,
    log: Log,
    subscribers: BTreeMap<SubscriberId, Subscriber>,
    next_id: u64,
    /// Who got an update last: the next ones are asked first.
    last_served: SubscriberId,
    /// What routers get, while somebody has it.
    full_state: Weak<SharedState>,
    pacing: StatePacing,
}

impl DataModel {
    /// The model of `entities`, which begins a timeline at `index`.
    pub fn new(
        options: Options,
        (timeline_id, index): (String, u64),
        entities: impl IntoIterator<Item = Entity>,
        keys: impl IntoIterator<Item = PublicKey>,
    ) -> Self {
        Self {
            options,
            log: Log::new(index, options.max_change_sets, options.max_bytes),
            timeline_id,
            index,
            entities: entities.into_iter().collect(),
            keys: Arc::new(Keys::new(BTreeSet::new(), keys)),
            subscribers: BTreeMap::new(),
            next_id: 1,
            last_served: SubscriberId(0),
            full_state: Weak::new(),
            pacing: StatePacing::new(options.state_interval),
        }
    }

    /// Goes on at a position that was kept, if the entities are the same as there; returns whether they
    /// are. Nobody may follow the model yet.
    pub fn resume(&mut self, position: Position) -> bool {
        if position.digest != self.entities.digest().to_string() {
            return false;
        }
        self.timeline_id = position.timeline_id;
        self.index = position.index;
        self.log.restart(position.index);
        self.keys = Arc::new(self.keys.with_known(position.key_ids));
        true
    }

    pub fn timeline_id(&self) -> &str {
        &self.timeline_id
    }

    /// What to keep for the next start.
    pub fn position(&self) -> Position {
        Position {
            timeline_id: self.timeline_id.clone(),
            index: self.index,
            digest: self.entities.digest().to_string(),
            key_ids: self.keys.known(),
        }
    }

    /// Of the last change set.
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// Change sets in the log, and their bytes.
    pub fn log_size(&self) -> (usize, usize) {
        (self.log.len(), self.log.bytes())
    }

    /// Takes over a transaction, after which the model is at `index`. Returns whether it changed; if not,
    /// its index stays as well.
    pub fn commit(
        &mut self,
        index: u64,
        changes: impl IntoIterator<Item = Change>,
    ) -> Result<bool, NotRising> {
        if index <= self.index {
            return Err(NotRising {
                last: self.index,
                index,
            });
        }
        let mut entities = BTreeMap::new();
        let mut relations = BTreeMap::new();
        for change in changes {
            match change {
                Change::Set(entity) => {
                    entities.insert(entity.key(), Some(entity));
                },
                Change::Removed(key) => {
                    entities.insert(key, None);
                },
                Change::Related {
                    relation,
                    is_related,
                } => {
                    relations.insert(relation, is_related);
                },
            }
        }
        let changes = entities;
        let audiences: BTreeMap<String, Audience> = changes
            .keys()
            .filter_map(|key| match self.entities.get(key) {
                Some(Entity::Config(config)) => {
                    Some((key.id.clone(), self.entities.audience(config)))
                },
                _ => None,
            })
            .collect();
        let touches_types = changes.keys().any(|key| key.kind <= Kind::Config);
        let hidden = touches_types.then(|| self.entities.router_configs());
        let before: Before = changes
            .into_iter()
            .map(|(key, new)| {
                let old = self.entities.set(key.clone(), new);
                (key, old)
            })
            .collect();

        relations.retain(|relation, is_related| {
            let policy = EntityKey {
                kind: Kind::Policy,
                id: relation.policy.clone(),
            };
            !before.contains_key(&policy) && self.entities.relate(relation, *is_related)
        });

        let events = difference::events(&before, &audiences, &relations, &self.entities);
        let is_changed = !relations.is_empty()
            || before
                .iter()
                .any(|(key, old)| old.as_ref() != self.entities.get(key));
        if !is_changed {
            return Ok(false);
        }
        self.log.append(index, self.index, events);
        self.index = index;
        self.full_state = Weak::new();
        if hidden.is_some_and(|hidden| self.visibility_changed(&hidden, &before)) {
            self.log.restart(index);
        }
        Ok(true)
    }

    /// Whether a configuration that stays is shown to others than before, because its type is for other
    /// entities now. That is rare enough for everyone to get the state.
    fn visibility_changed(&self, hidden: &BTreeSet<String>, before: &Before) -> bool {
        let now = self.entities.router_configs();
        now.symmetric_difference(hidden).any(|id| {
            let key = EntityKey {
                kind: Kind::Config,
                id: id.clone(),
            };
            let existed = before.get(&key).is_none_or(Option::is_some);
            existed && self.entities.get(&key).is_some()
        })
    }

    /// Replaces the public keys. Subscribers are told without an index, but the position has to be kept
    /// anew.
    pub fn set_public_keys(&mut self, keys: impl IntoIterator<Item = PublicKey>) {
        self.keys = Arc::new(Keys::new(self.keys.known(), keys));
        self.full_state = Weak::new();
    }

    /// A router has opened a control channel.
    pub fn connect(&mut self, router: String, now: Moment) -> SubscriberId {
        let id = SubscriberId(self.next_id);
        self.next_id += 1;
        self.subscribers.insert(
            id,
            Subscriber {
                router,
                lease: None,
                on_the_way: OnTheWay::NOTHING,
                announced: 0,
                announce_at: now + ANNOUNCEMENT_INTERVAL,
            },
        );
        id
    }

    pub fn disconnect(&mut self, id: SubscriberId) {
        self.subscribers.remove(&id);
    }

    /// A router wants to follow the model, or to go on doing so. A renewal that comes late goes on where
    /// the subscription ended.
    pub fn subscribe(&mut self, id: SubscriberId, request: &Subscription, now: Moment) {
        let Some(subscriber) = self.subscribers.get_mut(&id) else {
            return;
        };
        let (least, most) = LEASE_SECONDS;
        let seconds = request.duration_seconds.clamp(least, most);
        let until = now + Duration::from_secs(seconds.into());
        if let Some(lease) = &mut subscriber.lease
            && request.is_renewal
            && lease.subscription_id == request.subscription_id
        {
            lease.until = until;
            return;
        }
        let is_current = request.current_index != 0
            && request.timeline_id == self.timeline_id
            && self.log.continues(request.current_index);
        subscriber.lease = Some(Lease {
            subscription_id: request.subscription_id.clone(),
            until,
            cursor: if is_current {
                Cursor::At(request.current_index)
            } else {
                Cursor::Start
            },
            keys: None,
        });
    }

    /// An update for this router has been written: another one may follow.
    pub fn written(&mut self, id: SubscriberId) {
        if let Some(subscriber) = self.subscribers.get_mut(&id) {
            subscriber.on_the_way.written();
        }
    }

    /// The next update for any router, each in turn.
    pub fn poll_update(&mut self, now: Moment) -> Option<(SubscriberId, Update)> {
        let after = self
            .subscribers
            .range((Bound::Excluded(self.last_served), Bound::Unbounded));
        let up_to = self.subscribers.range(..=self.last_served);
        let ids: Vec<_> = after.chain(up_to).map(|(id, _)| *id).collect();
        ids.into_iter().find_map(|id| {
            let update = self.next_update(id, now)?;
            self.last_served = id;
            Some((id, update))
        })
    }

    fn next_update(&mut self, id: SubscriberId, now: Moment) -> Option<Update> {
        let subscriber = self.subscribers.get_mut(&id)?;
        let update = if subscriber.needs_state(&self.log, now) {
            let may_have_it = subscriber.on_the_way == OnTheWay::NOTHING
                && self.pacing.take(&subscriber.router, now);
            if !may_have_it {
                return None;
            }
            self.full_state(id)?
        } else if subscriber.on_the_way.has_room(self.options.credit) {
            subscriber
                .next_changes(&self.keys, &self.log, now)
                .or_else(|| subscriber.next_announcement(self.index, now))?
        } else {
            return None;
        };
        let subscriber = self.subscribers.get_mut(&id)?;
        subscriber.on_the_way.add(&update);
        Some(update)
    }

    /// The whole model for a subscriber, which goes on from there.
    fn full_state(&mut self, id: SubscriberId) -> Option<Update> {
        let subscriber = self.subscribers.get_mut(&id)?;
        let lease = subscriber.lease.as_mut()?;
        lease.cursor = Cursor::At(self.index);
        lease.keys = Some(Arc::clone(&self.keys));
        let subscription_id = lease.subscription_id.clone();
        let router = subscriber.router.clone();
        Some(Update::State {
            state: self.state_for(&router),
            subscription_id,
        })
    }

    /// The whole model as a router is to have it now.
    pub fn state_for(&mut self, router: &str) -> FullState {
        let shared = self.full_state.upgrade().unwrap_or_else(|| {
            let keys = self.keys.creations();
            Arc::new(SharedState {
                end_index: self.index,
                timeline_id: self.timeline_id.clone(),
                ..self.entities.full_state(keys)
            })
        });
        self.full_state = Arc::downgrade(&shared);
        FullState {
            shared,
            own: self.entities.configs_of_its_own(router),
        }
    }

    /// All entities, by kind and id.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.entities.by_key().values()
    }

    /// The public keys that count, by id.
    pub fn public_keys(&self) -> impl Iterator<Item = &PublicKey> {
        self.keys.current()
    }

    /// The entities in which the model differs from another one.
    pub fn differences(&self, expected: &Self) -> Vec<Difference> {
        differences(self.entities.by_key(), expected.entities.by_key())
    }

    /// When to poll at the latest if nothing else happens.
    pub fn poll_timeout(&self, now: Moment) -> Option<Moment> {
        self.subscribers
            .values()
            .filter_map(|subscriber| {
                if subscriber.needs_state(&self.log, now) {
                    let is_free = subscriber.on_the_way == OnTheWay::NOTHING;
                    return is_free.then(|| self.pacing.next(&subscriber.router, now));
                }
                let has_news = subscriber.announced != self.index
                    && subscriber.on_the_way.has_room(self.options.credit);
                has_news.then_some(subscriber.announce_at)
            })
            .min()
    }
}
