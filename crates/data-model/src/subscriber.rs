//! Routers that follow the model.

use crate::full_state::FullState;
use crate::keys::Keys;
use crate::log::Log;
use portcullis_channel::Moment;
use portcullis_wire::control::data_model::{Changes, CurrentIndex};
use std::sync::Arc;
use std::time::Duration;

/// Time between two messages that say how far the model is.
pub(crate) const ANNOUNCEMENT_INTERVAL: Duration = Duration::from_secs(30);

/// One control channel of a router. Ids of channels that ended are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubscriberId(pub(crate) u64);

/// What to send to a router next. What is the same for several routers is shared, so that it has to be
/// encoded only once.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// The whole model. Belongs into a [`DataState`](portcullis_wire::control::data_model::DataState).
    State {
        state: FullState,
        subscription_id: String,
    },
    /// Belongs into a [`ChangeSet`](portcullis_wire::control::data_model::ChangeSet).
    Changes {
        changes: Arc<Changes>,
        subscription_id: Option<String>,
    },
    Index(CurrentIndex),
}

/// A subscription that a router has to renew.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) subscription_id: String,
    pub(crate) until: Moment,
    pub(crate) cursor: Cursor,
    /// The keys that the router was told last; `None` if it may have any.
    pub(crate) keys: Option<Arc<Keys>>,
}

impl Lease {
    fn is_open(&self, now: Moment) -> bool {
        now < self.until
    }

    /// What the router has to be told about keys. It has no index and belongs to no subscription.
    pub(crate) fn key_changes(&mut self, keys: &Arc<Keys>) -> Option<Update> {
        if self
            .keys
            .as_ref()
            .is_some_and(|told| Arc::ptr_eq(told, keys))
        {
            return None;
        }
        let events = keys.since(self.keys.as_deref());
        self.keys = Some(Arc::clone(keys));
        (!events.is_empty()).then(|| Update::Changes {
            changes: Arc::new(Changes {
                is_synthetic: true,
                events,
                ..Changes::default()
            }),
            subscription_id: None,
        })
    }

    /// The change set after `index`, if there is one.
    pub(crate) fn next_changes(&mut self, index: u64, log: &Log, router: &str) -> Option<Update> {
        let changes = log.after(index, router)?;
        self.cursor = Cursor::At(changes.index);
        Some(Update::Changes {
            changes,
            subscription_id: Some(self.subscription_id.clone()),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cursor {
    /// The whole state comes next.
    Start,
    /// Index of what was sent last.
    At(u64),
}

/// What was handed out and not confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnTheWay {
    /// So many updates that are no states.
    Updates(usize),
    /// A state. It may be large, so it has the way for itself.
    State,
}

impl OnTheWay {
    pub(crate) const NOTHING: Self = Self::Updates(0);

    pub(crate) fn has_room(self, credit: usize) -> bool {
        matches!(self, Self::Updates(updates) if updates < credit.max(1))
    }

    pub(crate) const fn add(&mut self, update: &Update) {
        *self = match (*self, update) {
            (Self::Updates(updates), Update::Changes { .. } | Update::Index(_)) => {
                Self::Updates(updates + 1)
            },
            (Self::State, _) | (_, Update::State { .. }) => Self::State,
        };
    }

    /// One update was written.
    pub(crate) const fn written(&mut self) {
        *self = match *self {
            Self::Updates(updates) => Self::Updates(updates.saturating_sub(1)),
            Self::State => Self::NOTHING,
        };
    }
}

#[derive(Debug)]
pub(crate) struct Subscriber {
    pub(crate) router: String,
    pub(crate) lease: Option<Lease>,
    pub(crate) on_the_way: OnTheWay,
    /// Index that it was told on its own last.
    pub(crate) announced: u64,
    pub(crate) announce_at: Moment,
}

impl Subscriber {
    /// Whether the whole state is what comes next.
    pub(crate) fn needs_state(&self, log: &Log, now: Moment) -> bool {
        let lease = self.lease.as_ref().filter(|lease| lease.is_open(now));
        lease.is_some_and(|lease| match lease.cursor {
            Cursor::Start => true,
            Cursor::At(index) => !log.continues(index),
        })
    }

    /// What has changed since the last update, keys first.
    pub(crate) fn next_changes(
        &mut self,
        keys: &Arc<Keys>,
        log: &Log,
        now: Moment,
    ) -> Option<Update> {
        let lease = self.lease.as_mut().filter(|lease| lease.is_open(now))?;
        let Cursor::At(index) = lease.cursor else {
            return None;
        };
        lease
            .key_changes(keys)
            .or_else(|| lease.next_changes(index, log, &self.router))
    }

    /// How far the model is, from time to time.
    pub(crate) fn next_announcement(&mut self, index: u64, now: Moment) -> Option<Update> {
        if self.announced == index || now < self.announce_at {
            return None;
        }
        self.announced = index;
        self.announce_at = now + ANNOUNCEMENT_INTERVAL;
        Some(Update::Index(CurrentIndex { index }))
    }
}
