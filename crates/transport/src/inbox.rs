//! Received messages that wait for the owner of a channel.

use crate::shared::Shared;
use parking_lot::RwLock;
use portcullis_channel::Frame;
use portcullis_memory_budget::{Account, MemoryBudget};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::sleep;

/// Bytes that a waiting message takes beside those on the wire.
const FRAME_OVERHEAD: usize = 256;

/// How often whoever waits for memory looks whether there is some: it is rare, and nobody tells.
pub(crate) const MEMORY_INTERVAL: Duration = Duration::from_millis(20);

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
    _memory: Account,
}

/// Takes the messages of a channel.
type Handler = Arc<dyn Fn(Frame) + Send + Sync>;

/// The end of an inbox to which connections deliver.
pub(crate) struct Delivery {
    room: Arc<Semaphore>,
    capacity: u32,
    memory: Arc<MemoryBudget>,
    messages: mpsc::UnboundedSender<Delivered>,
    /// Takes them in place of the inbox.
    handler: RwLock<Option<Handler>>,
}

/// The end of an inbox from which messages are taken.
#[derive(Debug)]
pub(crate) struct Messages(mpsc::UnboundedReceiver<Delivered>);

impl Delivery {
    /// Creates an inbox for `capacity` bytes; a longer message waits until it is empty.
    pub(crate) fn new(capacity: u32, memory: Arc<MemoryBudget>) -> (Self, Messages) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let capacity = capacity.max(1);
        let delivery = Self {
            room: Arc::new(Semaphore::new(usize::try_from(capacity).unwrap_or(1))),
            capacity,
            memory,
            messages: sender,
            handler: RwLock::new(None),
        };
        (delivery, Messages(receiver))
    }

    /// Delivers a message when there is room; drops it if the inbox is closed.
    pub(crate) async fn deliver(&self, frame: Frame) {
        let handler = self.handler.read().clone();
        if let Some(handle) = handler {
            handle(frame);
            return;
        }
        let bytes = frame.wire_len().saturating_add(FRAME_OVERHEAD);
        self.wait_for_memory(bytes).await;
        let mut memory = Account::new(&self.memory);
        memory.set(bytes);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(self.capacity);
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await else {
            return;
        };
        let message = Delivered {
            frame,
            _room: room,
            _memory: memory,
        };
        // Without a receiver the channel is closed.
        let _is_closed = self.messages.send(message);
    }

    /// Waits until so much more fits into what the inbox may hold now; an empty one takes a message of any size.
    async fn wait_for_memory(&self, bytes: usize) {
        let capacity = usize::try_from(self.capacity).unwrap_or(usize::MAX);
        loop {
            let waiting = capacity.saturating_sub(self.room.available_permits());
            let fits = waiting.saturating_add(bytes) <= self.memory.allowance();
            if fits || waiting == 0 || self.room.is_closed() {
                return;
            }
            sleep(MEMORY_INTERVAL).await;
        }
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

    /// Hands all messages to `handle`, until the channel is closed: those that have arrived at once, and those
    /// to come where they arrive, in the tasks of the connections, which saves each of them a wake-up. Nothing
    /// pushes back then, so `handle` must not block. One connection's messages keep their order, but for those
    /// that arrive while it is called for the first ones.
    pub async fn handle(mut self, handle: impl Fn(Frame) + Send + Sync + 'static) {
        let handle: Handler = Arc::new(handle);
        let _direct = Direct::new(&self.shared, &handle);
        while let Some(frame) = self.next().await {
            handle(frame);
        }
    }
}

/// Messages go to a handler until this is dropped. The handler may know the channel, which must not keep itself
/// alive by it.
struct Direct(Arc<Shared>);

impl Direct {
    fn new(shared: &Arc<Shared>, handler: &Handler) -> Self {
        *shared.inbox.handler.write() = Some(Arc::clone(handler));
        Self(Arc::clone(shared))
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        *self.0.inbox.handler.write() = None;
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.shared.close();
    }
}
