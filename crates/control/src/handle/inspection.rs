//! What a router answers to questions, and what it may ask.

use super::Handler;
use crate::questions::Answered;
use portcullis_channel::{Frame, ResultMessage};
use portcullis_wire::DecodeError;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::inspection::{InspectRequest, InspectResponse, InspectedValue};

/// The only name of values that routers may ask for.
const CAPABILITY: &str = "capability";

/// Those that a controller of OpenZiti has which serves the fabric and the edge, as seen in its public source.
const CAPABILITIES: [&str; 2] = ["ziti.fabric", "ziti.edge"];

impl Handler {
    /// The router answers to the question what it carries, or to an inspection; or it was not asked.
    pub(super) fn handle_inspected(&self, frame: &Frame, response: InspectResponse) {
        let from = self.session.network;
        if let Some(asked) = self.plane.network.take_question(from, frame) {
            self.handle_carried(asked, &response);
        } else {
            let _unasked = self.pass_on(frame, ControlMessage::InspectResponse(response));
        }
    }

    /// The router asks what the controller can do. It is told nothing else, as if nothing else had a name.
    pub(super) fn handle_inspect_request(&self, frame: &Frame, request: &InspectRequest) {
        let mut names = request.names.iter();
        let asked = names.find(|name| name.eq_ignore_ascii_case(CAPABILITY));
        let values = asked.into_iter().flat_map(|name| {
            CAPABILITIES.map(|capability| InspectedValue {
                name: name.clone(),
                value: capability.to_owned().into(),
            })
        });
        let response = InspectResponse {
            is_success: true,
            errors: Vec::new(),
            values: values.collect(),
        };
        self.session.reply(
            &frame.reply_to(),
            &ControlMessage::InspectResponse(response),
        );
    }

    /// If the message answers a question, whoever waits for it waits in vain.
    pub(super) fn handle_unreadable(&self, frame: &Frame, error: &DecodeError) {
        if let Some(waiter) = self.session.outlet().take_waiter(frame.reply_for()) {
            let _gone = waiter.send(Answered::Unreadable(error.to_string()));
        }
    }

    /// The router says what has become of a request.
    pub(super) fn handle_result(&self, frame: &Frame, result: ResultMessage) {
        if let Some(waiter) = self.session.outlet().take_waiter(frame.reply_for()) {
            let _gone = waiter.send(Answered::Result(result));
        }
    }

    /// Gives the answer to whoever waits for it; otherwise it comes back.
    pub(super) fn pass_on(&self, frame: &Frame, answer: ControlMessage) -> Option<ControlMessage> {
        match self.session.outlet().take_waiter(frame.reply_for()) {
            Some(waiter) => {
                let _gone = waiter.send(Answered::Read(Box::new(answer)));
                None
            },
            None => Some(answer),
        }
    }
}
