//! Handling of received frames.

use super::{Channel, Received, State};
use crate::channel_kind::Priority;
use crate::frame::{ContentType, Frame, Message};
use crate::headers::key;
use crate::heartbeat::Heartbeat;
use crate::result::{ResultMessage, ResultStatus};
use crate::time::Now;
use crate::underlays::UnderlayId;

impl Channel {
    /// Handles a frame from a connection. Returns it if it is for the owner of the channel.
    ///
    /// Nothing is queued here: an owner that cannot take a message does not read, which makes the
    /// peer wait. Frames of unknown connections, or after the end, are dropped.
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
        if let Some(answer) = self.automatic_reply(&frame) {
            // A peer that asks faster than it reads gets no answer.
            let _full = self.reply(&frame.reply_to(), Priority::Default, answer);
            return None;
        }
        let request = match frame.reply_for() {
            Some(sequence) if self.requests.len() > 0 => self.requests.take_answered(sequence),
            _ => None,
        };
        Some(match request {
            Some(request) => Received::Reply { request, frame },
            None => Received::Message(frame),
        })
    }

    /// Handles and removes heartbeat headers: passed on to another channel, they would mean
    /// something else. Nothing is left of a frame that is only a heartbeat.
    fn take_heartbeats(&mut self, frame: Frame, now: Now) -> Option<Frame> {
        let Some(heartbeats) = &mut self.heartbeats else {
            return Some(frame);
        };
        let heartbeat = Heartbeat::from_headers(frame.headers());
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

    /// The automatic reply to a frame, if the channel itself replies to it.
    fn automatic_reply(&self, frame: &Frame) -> Option<Message> {
        let (kind, side) = (self.options.kind, self.options.side);
        let text = match frame.content_type() {
            ContentType::PING if kind.answers_ping(side) => "ok",
            ContentType::LATENCY if kind.answers_latency() => "",
            _ => return None,
        };
        let result = ResultMessage {
            status: ResultStatus::Success,
            text: text.to_owned(),
        };
        Some(result.into_message())
    }
}
