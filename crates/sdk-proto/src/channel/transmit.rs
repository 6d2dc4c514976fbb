//! What goes to the router.

use super::EdgeChannel;
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, Frame, Message, Now, Priority, ReplyTo, Sequence,
};
use portcullis_wire::edge::{ConnectionId, EdgeMessage};

/// A message to the router.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    pub message: Message,
    pub priority: Priority,
    /// The request that it replies to; see [`Message::in_reply_to`].
    pub reply_to: Option<ReplyTo>,
    /// If it belongs to one: messages of a connection have to keep their order.
    pub connection: Option<ConnectionId>,
}

/// A message is too long for the router.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct TooLongError(pub(super) String);

impl EdgeChannel {
    /// The next message for the router. It counts as sent: nothing but what circuits carry is sent again.
    pub fn poll_transmit(&mut self, now: Now) -> Option<Outgoing> {
        if let Some(outgoing) = self.outbox.pop_front() {
            return Some(outgoing);
        }
        while let Some(id) = self.queued.pop_front() {
            let Some(stream) = self.connections.stream_mut(id) else {
                continue;
            };
            stream.is_queued = false;
            let message = stream.poll_transmit(now);
            // If there is more, it gets in line again.
            self.settle(id, now);
            if let Some(outgoing) = message.and_then(|message| outgoing(&message, Some(id)).ok()) {
                return Some(outgoing);
            }
        }
        None
    }

    /// Whether [`poll_transmit`](Self::poll_transmit) may have something.
    pub fn has_output(&self) -> bool {
        !self.outbox.is_empty() || !self.queued.is_empty()
    }

    /// Queues a message that is short in any case.
    pub(super) fn send(&mut self, message: &EdgeMessage, connection: Option<ConnectionId>) {
        if let Ok(outgoing) = outgoing(message, connection) {
            self.outbox.push_back(outgoing);
        }
    }

    /// Queues a message if the router can take it.
    pub(super) fn try_send(
        &mut self,
        message: &EdgeMessage,
        connection: Option<ConnectionId>,
    ) -> Result<(), TooLongError> {
        let outgoing = outgoing(message, connection)?;
        self.outbox.push_back(outgoing);
        Ok(())
    }

    pub(super) fn reply(&mut self, message: &EdgeMessage, reply_to: ReplyTo) {
        if let Ok(outgoing) = outgoing(message, None) {
            self.outbox.push_back(Outgoing {
                reply_to: Some(reply_to),
                ..outgoing
            });
        }
    }

    /// Queues what nobody waits for, unless too much waits already.
    pub(super) fn suggest(&mut self, message: &EdgeMessage) {
        if self.outbox.len() < self.options.max_waiting {
            self.send(message, None);
        }
    }
}

fn outgoing(
    message: &EdgeMessage,
    connection: Option<ConnectionId>,
) -> Result<Outgoing, TooLongError> {
    let priority = message.priority();
    let message = message
        .encode()
        .map_err(|error| TooLongError(error.to_string()))?;
    let limits = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Dialer).send_limits;
    Frame::new(message.clone(), Sequence(0), &limits)
        .map_err(|error| TooLongError(error.to_string()))?;
    Ok(Outgoing {
        message,
        priority,
        reply_to: None,
        connection,
    })
}
