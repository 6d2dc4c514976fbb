//! Services of the identity, and the posture of its machine.

use super::EdgeChannel;
use crate::event::EdgeEvent;
use portcullis_wire::edge::{
    EdgeMessage, PostureResponse, PostureResponses, ServiceChangeSet, ServiceSubscription,
};

/// The index of who has nothing.
const NOTHING: i64 = -1;

/// What the router was asked to tell.
#[derive(Debug, Default)]
pub(super) struct Services {
    is_subscribed: bool,
    /// Of the last changes; `None` until all services were told.
    index: Option<i64>,
}

/// The router has no such function, or the channel has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the router does not support it")]
pub struct NotSupported;

impl EdgeChannel {
    /// Asks to be told of all services and policies of the identity, and of each change:
    /// [`EdgeEvent::Services`]. Changes that do not follow from those before are not told; all is asked for
    /// again instead.
    pub fn subscribe(&mut self) -> Result<(), NotSupported> {
        if self.end.is_some() || !self.terms.tells_services() {
            return Err(NotSupported);
        }
        self.services.is_subscribed = true;
        self.ask_for_services();
        Ok(())
    }

    /// Asks not to be told of services any more.
    pub fn unsubscribe(&mut self) {
        if std::mem::take(&mut self.services).is_subscribed && self.end.is_none() {
            self.send(&EdgeMessage::ServiceUnsubscription, None);
        }
    }

    /// Tells of the machine's posture: what is new, or has changed. Not answered, but
    /// [`EdgeEvent::PostureState`] may follow for who has subscribed.
    pub fn report_posture(&mut self, responses: Vec<PostureResponse>) -> Result<(), NotSupported> {
        if self.end.is_some() || !self.terms.takes_posture() {
            return Err(NotSupported);
        }
        let responses = EdgeMessage::PostureResponses(PostureResponses { responses });
        self.try_send(&responses, None)
            .map_err(|_too_long| NotSupported)
    }

    /// Asks for the state of all posture checks and policies.
    pub fn resync_posture(&mut self) -> Result<(), NotSupported> {
        if self.end.is_some() || !self.services.is_subscribed {
            return Err(NotSupported);
        }
        self.send(&EdgeMessage::ResyncPostureState, None);
        Ok(())
    }

    pub(super) fn services_changed(&mut self, changes: ServiceChangeSet) {
        if !self.services.is_subscribed {
            self.counters.unfounded += 1;
            return;
        }
        let is_complete = changes.previous_index == NOTHING;
        let follows = self.services.index == Some(changes.previous_index)
            && changes.index > changes.previous_index;
        if is_complete || follows {
            self.services.index = Some(changes.index);
            let event = EdgeEvent::Services(Box::new(changes));
            self.events.push_back(event);
        } else if self.services.index.is_some() {
            self.ask_for_services();
        }
    }

    fn ask_for_services(&mut self) {
        self.services.index = None;
        let subscription = ServiceSubscription { index: NOTHING };
        self.send(&EdgeMessage::ServiceSubscription(subscription), None);
    }
}
