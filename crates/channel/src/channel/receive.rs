//! Receiving: frames that have arrived.

use super::{Channel, Received, State};
use crate::frame::{ContentType, Frame, Message};
use crate::headers::key;
use crate::heartbeat::Heartbeat;
use crate::kind::Priority;
use crate::result::{Outcome, ResultMessage};
use crate::time::Now;
use crate::underlays::UnderlayId;

impl Channel {
    /// A frame has arrived over a connection. Returns it, if it is for the channel's owner.
    ///
    /// Nothing is queued here: whoever cannot take a message does not read, which is how the other side
    /// comes to wait. Frames of connections that are not known, or after the end, are dropped.
    pub fn handle_frame(
        &mut self,
        underlay: UnderlayId,
        frame: Frame,
        now: Now,
    ) -> Option<Received> {
        if self.state != State::Open || self.underlays.get(underlay).is_none() {
            return None;
        }
        let frame = self.take_heartbeats(frame, now)?;
        if let Some(answer) = self.own_answer(&frame) {
            // A peer that asks faster than it reads gets no answer.
            let _full = self.reply(&frame.reply_to(), Priority::Default, answer);
            return None;
        }
        let request = match frame.reply_for() {
            Some(sequence) if self.requests.len() > 0 => self.requests.answered(sequence),
            _ => None,
        };
        Some(match request {
            Some(request) => Received::Reply { request, frame },
            None => Received::Message(frame),
        })
    }

    /// Takes heartbeats in, and out of the frame: passed on to another channel they would mean something
    /// else there. Nothing is left of a frame that is but a heartbeat.
    fn take_heartbeats(&mut self, frame: Frame, now: Now) -> Option<Frame> {
        let Some(heartbeats) = &mut self.heartbeats else {
            return Some(frame);
        };
        let heartbeat = Heartbeat::of(frame.headers());
        heartbeats.handle(heartbeat, now.mono);
        if frame.content_type() == ContentType::HEARTBEAT {
            return None;
        }
        if !heartbeat.is_present {
            return Some(frame);
        }
        let headers = frame
            .headers()
            .without(&[key::HEARTBEAT, key::HEARTBEAT_RESPONSE]);
        Some(frame.with_headers(headers))
    }

    /// The answer to what the channel answers by itself.
    fn own_answer(&self, frame: &Frame) -> Option<Message> {
        let (kind, side) = (self.options.kind, self.options.side);
        let text = match frame.content_type() {
            ContentType::PING if kind.answers_ping(side) => "ok",
            ContentType::LATENCY if kind.answers_latency() => "",
            _ => return None,
        };
        let result = ResultMessage {
            outcome: Outcome::Success,
            text: text.to_owned(),
        };
        Some(result.into_message())
    }
}
