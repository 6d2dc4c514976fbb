//! Received messages that wait for the owner of a channel.

use crate::shared::Shared;
use portcullis_channel::Frame;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Bytes that a waiting message takes beside those on the wire.
const FRAME_OVERHEAD: usize = 256;

/// The messages of a channel, other than the replies that somebody waits for.
///
/// Messages of one connection keep their order. The inbox is bounded: when it is full, connections
/// are not read until there is room, and the peer has to wait. What is behind a message that waits
/// is not seen: replies to requests, and heartbeats. So whoever takes messages must not wait for a
/// reply in between, and must take them faster than heartbeats time out, or the channel is closed
/// by either side.
///
/// Dropping it closes the channel: there is nobody left to handle messages.
#[derive(Debug)]
pub struct Inbox {
    messages: mpsc::UnboundedReceiver<Delivered>,
    shared: Arc<Shared>,
}

/// A message, and the room that it takes.
#[derive(Debug)]
struct Delivered {
    frame: Frame,
    _room: OwnedSemaphorePermit,
}

/// The end of an inbox to which connections deliver.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    room: Arc<Semaphore>,
    capacity: u32,
    messages: mpsc::UnboundedSender<Delivered>,
}

/// The end of an inbox from which messages are taken.
#[derive(Debug)]
pub(crate) struct Messages(mpsc::UnboundedReceiver<Delivered>);

impl Delivery {
    /// Creates an inbox for `capacity` bytes; a longer message waits until it is empty.
    pub(crate) fn new(capacity: u32) -> (Self, Messages) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let capacity = capacity.max(1);
        let delivery = Self {
            room: Arc::new(Semaphore::new(usize::try_from(capacity).unwrap_or(1))),
            capacity,
            messages: sender,
        };
        (delivery, Messages(receiver))
    }

    /// Delivers a message when there is room; drops it if the inbox is closed.
    pub(crate) async fn deliver(&self, frame: Frame) {
        let bytes = frame.wire_len().saturating_add(FRAME_OVERHEAD);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(self.capacity);
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await else {
            return;
        };
        let message = Delivered { frame, _room: room };
        // Without a receiver the channel is closed.
        let _is_closed = self.messages.send(message);
    }

    /// Accepts no more messages.
    pub(crate) fn close(&self) {
        self.room.close();
    }
}

impl Inbox {
    pub(crate) fn new(messages: Messages, shared: Arc<Shared>) -> Self {
        Self {
            messages: messages.0,
            shared,
        }
    }

    /// The next message; none when the channel is closed and all messages were taken. Dropping the
    /// future loses nothing.
    pub async fn next(&mut self) -> Option<Frame> {
        tokio::select! {
            biased;
            message = self.messages.recv() => return message.map(|message| message.frame),
            _reason = self.shared.closed.wait() => self.messages.close(),
        }
        Some(self.messages.recv().await?.frame)
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.shared.close();
    }
}
