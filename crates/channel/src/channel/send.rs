//! Queueing of messages, requests and replies for sending.

use super::{Channel, State};
use crate::channel_kind::Priority;
use crate::frame::{Frame, FrameTooLongError, Message, ReplyTo, Sequence};
use crate::outbox::Flow;
use crate::pending_requests::RequestId;
use crate::time::Now;
use std::time::Duration;

/// A message that was not queued, returned to the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("message not sent: {why}")]
pub struct SendError {
    pub message: Message,
    #[source]
    pub why: SendErrorKind,
}

/// The reason why a message was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendErrorKind {
    /// Its queue is full, or the part of its flow. [`Channel::wait_for_room`] asks to be told when there is
    /// room again.
    #[error("the queue is full")]
    QueueFull,
    #[error("the channel is closed")]
    Closed,
    #[error("{limit} requests already wait for their replies, the maximum of a channel")]
    TooManyRequests {
        /// Maximum number of pending requests.
        limit: usize,
    },
    #[error(transparent)]
    TooLong(#[from] FrameTooLongError),
}

impl Channel {
    /// Queues a message. Returns its sequence number.
    pub fn send(&mut self, priority: Priority, message: Message) -> Result<Sequence, SendError> {
        self.send_in(Flow::COMMON, priority, message)
    }

    /// Queues a message of a flow, which keeps its place among those of the same flow only.
    pub fn send_in(
        &mut self,
        flow: Flow,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError> {
        self.enqueue(flow, priority, message, false)
    }

    /// Whether a flow whose message was refused may send now. If not,
    /// [`Writable`](super::ChannelEvent::Writable) tells when it may, unless the channel is closed before.
    pub fn wait_for_room(&mut self, flow: Flow, priority: Priority) -> bool {
        self.state != State::Open || self.outbox.queue_mut(priority).wait(flow)
    }

    /// Queues a message that expects a reply.
    ///
    /// A request that times out before it is written is not written at all.
    pub fn request(
        &mut self,
        priority: Priority,
        message: Message,
        timeout: Duration,
        now: Now,
    ) -> Result<RequestId, SendError> {
        let limit = self.options.max_requests;
        if self.requests.len() >= limit {
            let why = SendErrorKind::TooManyRequests { limit };
            return Err(SendError { message, why });
        }
        let sequence = self.enqueue(Flow::COMMON, priority, message, true)?;
        Ok(self.requests.insert(sequence, now.mono + timeout))
    }

    /// Queues the reply to a request, which may be sent over any connection.
    pub fn reply(
        &mut self,
        request: &ReplyTo,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError> {
        // On error the original message is returned, so a copy is turned into the reply.
        let reply = message.clone().in_reply_to(request);
        self.enqueue(Flow::COMMON, priority, reply, false)
            .map_err(|SendError { why, .. }| SendError { message, why })
    }

    /// Cancels a request: no event follows for it. If the reply still arrives, it is an ordinary
    /// message.
    pub fn cancel(&mut self, request: RequestId) {
        if let Some(sequence) = self.requests.cancel(request) {
            self.outbox.remove(sequence);
            for priority in Priority::ALL {
                self.notify_writable(priority);
            }
        }
    }

    fn enqueue(
        &mut self,
        flow: Flow,
        priority: Priority,
        message: Message,
        is_request: bool,
    ) -> Result<Sequence, SendError> {
        if let Err(why) = self.check_sendable(flow, priority, &message) {
            return Err(SendError { message, why });
        }
        let sequence = self.requests.next_sequence();
        let frame = Frame::new_unchecked(message, sequence);
        let queue = self.outbox.queue_mut(priority);
        queue.push(flow, frame, is_request);
        Ok(sequence)
    }

    fn check_sendable(
        &self,
        flow: Flow,
        priority: Priority,
        message: &Message,
    ) -> Result<(), SendErrorKind> {
        if self.state != State::Open {
            return Err(SendErrorKind::Closed);
        }
        self.options.send_limits.check(message)?;
        let queue = self.outbox.queue(priority);
        if !queue.has_room(flow, message.wire_len()) {
            return Err(SendErrorKind::QueueFull);
        }
        Ok(())
    }
}
