//! What is on its way to an SDK.

use std::collections::VecDeque;

use portcullis_channel::{Message, Priority, SendErrorKind};
use portcullis_transport::ChannelHandle;

use super::sending;

/// Most messages that wait for room in the queues of a channel.
const MOST: usize = 4096;

/// The queues of a channel, and what waits for room in them: messages that must not be dropped.
#[derive(Debug)]
pub(super) struct Outbox {
    channel: ChannelHandle,
    waiting: VecDeque<(Priority, Message)>,
    waiting_bytes: usize,
}

/// So much waits that the channel has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overflow;

impl Outbox {
    pub(super) const fn new(channel: ChannelHandle) -> Self {
        Self {
            channel,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_clear(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Bytes of what waits.
    pub(super) const fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Sends a message that may be dropped.
    pub(super) fn offer(&self, priority: Priority, message: Message) {
        if self.is_clear() {
            let _is_dropped = sending::send(&self.channel, priority, message);
        }
    }

    /// Sends a message, as soon as there is room.
    pub(super) fn send(&mut self, priority: Priority, message: Message) -> Result<(), Overflow> {
        if !self.is_clear() {
            return self.wait(priority, message);
        }
        match sending::send(&self.channel, priority, message) {
            Ok(_sequence) => Ok(()),
            Err(error) if error.why == SendErrorKind::QueueFull => {
                self.wait(priority, error.message)
            },
            Err(error) => {
                tracing::debug!(%error, "a message for a client is not sent");
                Ok(())
            },
        }
    }

    fn wait(&mut self, priority: Priority, message: Message) -> Result<(), Overflow> {
        if self.waiting.len() >= MOST {
            return Err(Overflow);
        }
        self.waiting_bytes += message.wire_len();
        self.waiting.push_back((priority, message));
        Ok(())
    }

    /// Waits until what has waited longest may be sent; for ever if nothing waits.
    pub(super) async fn room(&self) {
        match self.waiting.front() {
            Some((priority, message)) => {
                sending::room(&self.channel, *priority, message).await;
            },
            None => std::future::pending().await,
        }
    }

    /// Sends what there is room for.
    pub(super) fn flush(&mut self) {
        while let Some((priority, message)) = self.waiting.pop_front() {
            let bytes = message.wire_len();
            if let Err(error) = sending::send(&self.channel, priority, message)
                && error.why == SendErrorKind::QueueFull
            {
                self.waiting.push_front((priority, error.message));
                return;
            }
            self.waiting_bytes -= bytes;
        }
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.waiting_bytes = 0;
    }
}
