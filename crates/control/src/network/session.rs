//! What is remembered of one session of a router.

use crate::outlet::Outlet;
use crate::translate;
use portcullis_channel::{Message, Priority, ReplyTo, SendError, SendErrorKind, Sequence};
use portcullis_fabric::{Moment, RouteId};
use portcullis_wire::control::ControlMessage;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long the answer to a message is recognized. The network waits for no answer that long.
const MAX_ANSWER_TIME: Duration = Duration::from_mins(2);

pub(super) struct SessionState {
    outlet: Arc<dyn Outlet>,
    /// Whether the router can be asked what it carries.
    tells_circuits: bool,
    /// Routes that may still be answered.
    routes: BTreeMap<Sequence, (RouteId, Moment)>,
    /// When the router was asked what it carries.
    questions: BTreeMap<Sequence, Moment>,
}

impl SessionState {
    pub(super) fn new(outlet: Arc<dyn Outlet>, tells_circuits: bool) -> Self {
        Self {
            outlet,
            tells_circuits,
            routes: BTreeMap::new(),
            questions: BTreeMap::new(),
        }
    }

    pub(super) fn send(&self, message: &ControlMessage) -> Option<Sequence> {
        match message.encode() {
            Ok(encoded) => self.sent(self.outlet.send(message.priority(), encoded)),
            Err(error) => {
                tracing::error!(%error, "a message for a router cannot be encoded");
                None
            },
        }
    }

    pub(super) fn reply(&self, to: &ReplyTo, priority: Priority, message: Message) {
        self.sent(self.outlet.reply(to, priority, message));
    }

    pub(super) fn send_route(&mut self, (id, now): (RouteId, Moment), route: &ControlMessage) {
        let oldest = self.routes.first_key_value();
        if oldest.is_some_and(|(_, (_, sent))| now.since(*sent) > MAX_ANSWER_TIME) {
            self.routes
                .retain(|_, (_, sent)| now.since(*sent) <= MAX_ANSWER_TIME);
        }
        if let Some(sequence) = self.send(route) {
            self.routes.insert(sequence, (id, now));
        }
    }

    pub(super) fn ask_for_circuits(&mut self, now: Moment) {
        self.questions
            .retain(|_, asked| now.since(*asked) <= MAX_ANSWER_TIME);
        if self.tells_circuits {
            let request = ControlMessage::InspectRequest(translate::carried_request());
            if let Some(sequence) = self.send(&request) {
                self.questions.insert(sequence, now);
            }
        }
    }

    /// The route that a message answers.
    pub(super) fn take_route(&mut self, reply_for: Option<Sequence>) -> Option<RouteId> {
        let (route, _) = self.routes.remove(&reply_for?)?;
        Some(route)
    }

    /// When the question was asked that a message answers.
    pub(super) fn take_question(&mut self, reply_for: Option<Sequence>) -> Option<Moment> {
        self.questions.remove(&reply_for?)
    }

    /// Without this message the router would not know what the network relies on, so its channel is
    /// closed.
    fn sent(&self, result: Result<Sequence, SendError>) -> Option<Sequence> {
        match result {
            Ok(sequence) => Some(sequence),
            Err(error) => {
                if error.why != SendErrorKind::Closed {
                    tracing::warn!(%error, "a router does not take its messages, and is put off");
                    self.outlet.close();
                }
                None
            },
        }
    }
}
