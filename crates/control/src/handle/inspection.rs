//! What a router says of its insides.

use super::Handler;
use crate::inspection::Answered;
use portcullis_channel::Frame;
use portcullis_wire::DecodeError;
use portcullis_wire::control::inspection::InspectResponse;

impl Handler {
    /// The router answers to the question what it carries, or to an inspection; or it was not asked.
    pub(super) fn handle_inspected(&self, frame: &Frame, response: InspectResponse) {
        let from = self.session.network;
        if let Some(asked) = self.plane.network.take_question(from, frame) {
            self.handle_carried(asked, &response);
        } else {
            self.pass_on(frame, Answered::Read(response));
        }
    }

    /// If the message answers an inspection, whoever waits for it waits in vain.
    pub(super) fn handle_unreadable(&self, frame: &Frame, error: &DecodeError) {
        self.pass_on(frame, Answered::Unreadable(error.to_string()));
    }

    fn pass_on(&self, frame: &Frame, answered: Answered) {
        if let Some(waiter) = self.session.outlet().take_inspection(frame.reply_for()) {
            // Nobody may wait any more.
            let _ = waiter.send(answered);
        }
    }
}
