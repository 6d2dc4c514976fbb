//! Sending: messages, requests and replies into the queues.

use super::{Channel, State};
use crate::frame::{Frame, FrameTooLong, Message, ReplyTo, Sequence};
use crate::kind::Priority;
use crate::requests::RequestId;
use crate::time::Now;
use std::time::Duration;

/// A message that was not taken. It is given back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("message not sent: {why}")]
pub struct Refused {
    /// The message as it was given.
    pub message: Message,
    /// Why it was not taken.
    #[source]
    pub why: SendError,
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Its queue is full. [`Writable`](super::ChannelEvent::Writable) tells when there is room again.
    #[error("the queue is full")]
    Full,
    /// The channel is closed.
    #[error("the channel is closed")]
    Closed,
    /// Too many requests wait for their replies.
    #[error(
        "{limit} requests wait for their replies already, which is the most a channel may have"
    )]
    TooManyRequests {
        /// How many may wait.
        limit: usize,
    },
    /// It is too long.
    #[error(transparent)]
    TooLong(#[from] FrameTooLong),
}

impl Channel {
    /// Queues a message. Returns the number that it has on the wire.
    pub fn send(&mut self, priority: Priority, message: Message) -> Result<Sequence, Refused> {
        self.enqueue(priority, message, false)
    }

    /// Queues a message and waits for the reply to it.
    ///
    /// A request whose time is over before it was written is not written at all.
    pub fn request(
        &mut self,
        priority: Priority,
        message: Message,
        within: Duration,
        now: Now,
    ) -> Result<RequestId, Refused> {
        let limit = self.options.max_requests;
        if self.requests.len() >= limit {
            let why = SendError::TooManyRequests { limit };
            return Err(Refused { message, why });
        }
        let sequence = self.enqueue(priority, message, true)?;
        Ok(self.requests.insert(sequence, now.mono + within))
    }

    /// Queues the reply to a request, which goes over any connection.
    pub fn reply(
        &mut self,
        request: &ReplyTo,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, Refused> {
        // A full queue has to give back what it was given, so nothing is changed before it is asked.
        let reply = message.clone().in_reply_to(request);
        self.enqueue(priority, reply, false)
            .map_err(|Refused { why, .. }| Refused { message, why })
    }

    /// Stops waiting for a reply: nothing is told about the request any more. If it comes nevertheless, it
    /// is a message like others.
    pub fn cancel(&mut self, request: RequestId) {
        if let Some(sequence) = self.requests.cancel(request) {
            self.outbox.remove(sequence);
            for priority in Priority::ALL {
                self.tell_room(priority);
            }
        }
    }

    fn enqueue(
        &mut self,
        priority: Priority,
        message: Message,
        is_request: bool,
    ) -> Result<Sequence, Refused> {
        if let Err(why) = self.judge(priority, &message) {
            return Err(Refused { message, why });
        }
        let sequence = self.requests.next_sequence();
        let frame = Frame::allowed(message, sequence);
        self.outbox.queue_mut(priority).push(frame, is_request);
        Ok(sequence)
    }

    fn judge(&mut self, priority: Priority, message: &Message) -> Result<(), SendError> {
        if self.state != State::Open {
            return Err(SendError::Closed);
        }
        self.options.send_limits.allow(message)?;
        let queue = self.outbox.queue_mut(priority);
        if !queue.has_room(Frame::wire_len_of(message)) {
            return Err(SendError::Full);
        }
        Ok(())
    }
}
