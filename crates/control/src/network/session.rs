//! What is remembered of one session of a router.

use crate::outlet::Outlet;
use crate::translate;
use portcullis_channel::{Message, Priority, ReplyTo, Sequence};
use portcullis_fabric::{Moment, RouteId};
use portcullis_wire::control::ControlMessage;
use std::sync::Arc;

pub(super) struct SessionState {
    outlet: Arc<Outlet>,
    /// Whether the router can be asked what it carries.
    tells_circuits: bool,
}

impl SessionState {
    pub(super) const fn new(outlet: Arc<Outlet>, tells_circuits: bool) -> Self {
        Self {
            outlet,
            tells_circuits,
        }
    }

    pub(super) fn send(&self, message: &ControlMessage) {
        if let Some(encoded) = encoded(message) {
            self.outlet.send(message.priority(), encoded);
        }
    }

    pub(super) fn reply(&self, to: &ReplyTo, priority: Priority, message: Message) {
        self.outlet.reply(to, priority, message);
    }

    pub(super) fn send_route(&self, (id, now): (RouteId, Moment), route: &ControlMessage) {
        if let Some(encoded) = encoded(route) {
            self.outlet.send_route(route.priority(), encoded, id, now);
        }
    }

    pub(super) fn ask_for_circuits(&self, now: Moment) {
        if !self.tells_circuits {
            return;
        }
        let request = ControlMessage::InspectRequest(translate::carried_request());
        if let Some(encoded) = encoded(&request) {
            let priority = request.priority();
            self.outlet.ask_for_circuits(priority, encoded, now);
        }
    }

    /// The route that a message answers.
    pub(super) fn take_route(&self, reply_for: Option<Sequence>) -> Option<RouteId> {
        self.outlet.take_route(reply_for)
    }

    /// When the question was asked that a message answers.
    pub(super) fn take_question(&self, reply_for: Option<Sequence>) -> Option<Moment> {
        self.outlet.take_question(reply_for)
    }
}

fn encoded(message: &ControlMessage) -> Option<Message> {
    message
        .encode()
        .inspect_err(|error| tracing::error!(%error, "a message for a router cannot be encoded"))
        .ok()
}
