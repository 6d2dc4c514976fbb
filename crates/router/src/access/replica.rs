//! The copy of the data model as it follows a controller.

mod file;
mod subscription;
#[cfg(test)]
mod tests;
mod validation;

pub use file::FileError;

use super::model::{DataModel, Touched};
use crate::edge::ControllerId;
use crate::time::after;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::data_model::{
    ChangeSet, Changes, CurrentIndex, DataState, State, Subscription,
};
use std::collections::BTreeSet;
use std::time::Duration;
use subscription::{Following, Phase};

/// How long subscriptions are asked for, in seconds: as long as controllers give them.
const LEASE_SECONDS: u32 = 360;
/// Pause before a subscription is renewed: a minute before it ends.
const RENEWAL: Duration = Duration::from_mins(5);
/// Least pause between two subscriptions.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the answer to a subscription may take. Until then, a later index of the controller does not
/// mean that anything is missing.
const PATIENCE: Duration = Duration::from_mins(1);

/// The copy of the data model, where it is in the history of the controllers, and the subscription that it
/// follows that by.
///
/// It follows one of the connected controllers. Changes are taken over only in order: if one is missing, the
/// router subscribes anew, and if that leads nowhere, from the start.
#[derive(Debug, Clone)]
pub struct Replica {
    model: DataModel,
    /// Of the last change; 0 before there is a model.
    index: u64,
    timeline_id: String,
    controllers: BTreeSet<ControllerId>,
    following: Option<Following>,
    /// Makes ids of subscriptions unlike those of other runs.
    run: String,
    subscriptions: u64,
    /// Before that there is no further subscription.
    next_subscription: Timestamp,
}

/// What became of a message about the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reception {
    /// The model has changed, or been confirmed.
    Taken(Touched),
    /// It is of another subscription, or nothing new.
    Ignored,
    /// Something before it is missing. The router subscribes anew.
    Gap,
}

impl Replica {
    /// Begins without a model. `run` makes ids of subscriptions unlike those of earlier runs.
    pub fn new(run: impl Into<String>) -> Self {
        Self {
            model: DataModel::default(),
            index: 0,
            timeline_id: String::new(),
            controllers: BTreeSet::new(),
            following: None,
            run: run.into(),
            subscriptions: 0,
            next_subscription: Timestamp::MIN,
        }
    }

    pub const fn model(&self) -> &DataModel {
        &self.model
    }

    /// Whether there is a model. Without one, nobody has any right.
    pub const fn has_model(&self) -> bool {
        self.index > 0
    }

    /// Index of the last change, and the timeline. When they differ from those of the file, it has to be
    /// written anew.
    pub fn position(&self) -> (u64, &str) {
        (self.index, &self.timeline_id)
    }

    /// A control channel is open.
    pub fn connect(&mut self, controller: ControllerId, now: Timestamp) {
        self.controllers.insert(controller.clone());
        match &self.following {
            Some(following) if following.controller != controller => {},
            // On a new channel, nothing of the old subscription is left.
            _ => self.follow(controller, now),
        }
    }

    /// A control channel has ended.
    pub fn disconnect(&mut self, controller: &ControllerId, now: Timestamp) {
        self.controllers.remove(controller);
        if self.followed() == Some(controller) {
            self.following = None;
            if let Some(other) = self.controllers.first().cloned() {
                self.follow(other, now);
            }
        }
    }

    fn follow(&mut self, controller: ControllerId, now: Timestamp) {
        self.following = Some(Following {
            controller,
            phase: Phase::Wanted {
                at: self.next_subscription.max(now),
                from_start: false,
            },
        });
    }

    /// The controller that the model follows.
    pub fn followed(&self) -> Option<&ControllerId> {
        self.following
            .as_ref()
            .map(|following| &following.controller)
    }

    /// The next request to a controller that is due.
    pub fn poll(&mut self, now: Timestamp) -> Option<(ControllerId, Subscription)> {
        let following = self.following.as_mut()?;
        let subscription_id = match &mut following.phase {
            Phase::Wanted { at, .. } if now < *at => return None,
            Phase::Subscribed { renew_at, .. } if now < *renew_at => return None,
            Phase::Wanted { from_start, .. } => {
                if *from_start {
                    // What follows has to be the whole state, whatever the controller thinks.
                    self.index = 0;
                }
                self.subscriptions += 1;
                self.next_subscription = after(now, PAUSE);
                let id = format!("{}-{}", self.run, self.subscriptions);
                following.phase = Phase::Subscribed {
                    id: id.clone(),
                    renew_at: after(now, RENEWAL),
                    is_answered: false,
                    patience_ends: after(now, PATIENCE),
                };
                return Some((following.controller.clone(), self.request(id, false)));
            },
            Phase::Subscribed { id, renew_at, .. } => {
                *renew_at = after(now, RENEWAL);
                id.clone()
            },
        };
        let controller = following.controller.clone();
        Some((controller, self.request(subscription_id, true)))
    }

    fn request(&self, subscription_id: String, is_renewal: bool) -> Subscription {
        Subscription {
            current_index: self.index,
            duration_seconds: LEASE_SECONDS,
            is_renewal,
            timeline_id: self.timeline_id.clone(),
            subscription_id,
        }
    }

    /// When to poll at the latest if nothing else happens.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.following.as_ref().map(Following::due)
    }

    /// The whole model.
    pub fn receive_state(&mut self, from: &ControllerId, message: DataState) -> Reception {
        if !self.is_own(from, message.subscription_id.as_deref()) {
            return Reception::Ignored;
        }
        self.confirm();
        self.replace(message.state);
        Reception::Taken(Touched::everything())
    }

    fn replace(&mut self, state: State) {
        let mut model = DataModel::default();
        model.apply(state.events);
        self.model = model;
        self.index = state.end_index;
        self.timeline_id = state.timeline_id;
    }

    /// Changes of the model.
    pub fn receive_changes(
        &mut self,
        from: &ControllerId,
        message: ChangeSet,
        now: Timestamp,
    ) -> Reception {
        let is_own = self.is_own(from, message.subscription_id.as_deref());
        let changes = message.changes;
        if changes.is_synthetic && (is_own || message.subscription_id.is_none()) {
            // Keys, of any controller. They have no index.
            return Reception::Taken(self.model.apply(changes.events));
        }
        if changes.is_synthetic || !is_own {
            return Reception::Ignored;
        }
        self.take_changes(changes, now)
    }

    fn take_changes(&mut self, changes: Changes, now: Timestamp) -> Reception {
        let is_well_formed = changes.previous_index < changes.index;
        if is_well_formed && changes.index <= self.index {
            return Reception::Ignored; // It was sent twice.
        }
        if !is_well_formed || changes.previous_index != self.index {
            self.resubscribe(now);
            return Reception::Gap;
        }
        self.confirm();
        self.index = changes.index;
        Reception::Taken(self.model.apply(changes.events))
    }

    /// How far the controller has got.
    pub fn receive_index(
        &mut self,
        from: &ControllerId,
        message: &CurrentIndex,
        now: Timestamp,
    ) -> Reception {
        let is_due = match &self.following {
            Some(following) if following.controller == *from => following.has_settled(now),
            _ => false,
        };
        if message.index > self.index && is_due {
            self.resubscribe(now);
            return Reception::Gap;
        }
        Reception::Ignored
    }

    /// Whether a message belongs to the present subscription.
    fn is_own(&self, from: &ControllerId, subscription: Option<&str>) -> bool {
        let following = self.following.as_ref();
        following.is_some_and(|following| {
            following.controller == *from
                && subscription.is_some()
                && following.subscription_id() == subscription
        })
    }

    /// Something was taken over in the present subscription.
    fn confirm(&mut self) {
        if let Some(following) = &mut self.following {
            following.confirm();
        }
    }

    /// Something is missing.
    fn resubscribe(&mut self, now: Timestamp) {
        if let Some(following) = &mut self.following {
            following.phase = Phase::Wanted {
                at: self.next_subscription.max(now),
                from_start: !following.is_answered(),
            };
        }
    }
}
