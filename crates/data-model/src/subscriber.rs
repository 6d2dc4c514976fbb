//! Routers that follow the model.

use crate::keys::Keys;
use crate::log::Log;
use portcullis_channel::Moment;
use portcullis_wire::control::data_model::{Changes, CurrentIndex, State};
use std::sync::Arc;

/// One control channel of a router. Ids of channels that ended are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubscriberId(pub(crate) u64);

/// What to send to a router next. What is the same for several routers is shared, so that it has to be
/// encoded only once.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// The whole model. Belongs into a [`DataState`](portcullis_wire::control::data_model::DataState).
    State {
        state: Arc<State>,
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

#[derive(Debug)]
pub(crate) struct Subscriber {
    pub(crate) router: String,
    pub(crate) lease: Option<Lease>,
    /// Updates that may be handed out before others are confirmed.
    pub(crate) credit: usize,
    /// Index that it was told on its own last.
    pub(crate) announced: u64,
    pub(crate) announce_at: Moment,
}
