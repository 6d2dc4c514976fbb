//! Received messages that wait for the owner of a channel.

use crate::shared::Shared;
use parking_lot::RwLock;
use portcullis_channel::Frame;
use portcullis_memory_budget::{Account, MemoryBudget};
use std::sync::Arc;
use tokio::sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore, mpsc};

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
    _memory: Account,
    /// Dropped after the room is given back.
    _taken: Taken,
}

/// Tells, by being dropped, that a message was taken.
#[derive(Debug)]
struct Taken(Arc<Notify>);

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Takes the messages of a channel.
type Handler = Arc<dyn Fn(Frame) + Send + Sync>;

/// The end of an inbox to which connections deliver.
pub(crate) struct Delivery {
    room: Arc<Semaphore>,
    capacity: u32,
    memory: Arc<MemoryBudget>,
    /// Connections deliver in the order in which they ask, however much each of their messages needs.
    turn: Mutex<()>,
    /// A message was taken, or there will be no more.
    taken: Arc<Notify>,
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
            turn: Mutex::default(),
            taken: Arc::default(),
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
        let turn = self.turn.lock().await;
        self.wait_for_memory(bytes).await;
        let mut memory = Account::new(&self.memory);
        memory.set(bytes);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(self.capacity);
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await else {
            return;
        };
        drop(turn);
        let message = Delivered {
            frame,
            _room: room,
            _memory: memory,
            _taken: Taken(Arc::clone(&self.taken)),
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
            self.taken.notified().await;
        }
    }

    /// Accepts no more messages.
    pub(crate) fn close(&self) {
        self.room.close();
        self.taken.notify_one();
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

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_channel::{ContentType, FrameLimits, Message, Sequence};
    use portcullis_memory_budget::LEAST;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn frame(bytes: usize) -> Frame {
        let message = Message::new(ContentType(1)).with_body(vec![0; bytes]);
        Frame::new(message, Sequence(1), &FrameLimits::default()).unwrap()
    }

    #[tokio::test]
    async fn short_messages_do_not_overtake_a_long_one_that_waits_for_memory() {
        let memory = Arc::new(MemoryBudget::new(LEAST));
        let (delivery, Messages(mut inbox)) = Delivery::new(1 << 20, memory);
        let mut context = Context::from_waker(Waker::noop());
        delivery.deliver(frame(LEAST / 2)).await;
        let mut long = pin!(delivery.deliver(frame(LEAST)));
        assert!(long.as_mut().poll(&mut context).is_pending());
        let mut short = pin!(delivery.deliver(frame(1)));
        assert!(short.as_mut().poll(&mut context).is_pending());
        drop(inbox.recv().await);
        assert!(short.as_mut().poll(&mut context).is_pending());
        long.await;
        let taken = inbox.recv().await.unwrap();
        assert_eq!(taken.frame.body().len(), LEAST);
        drop(taken);
        short.await;
        assert_eq!(inbox.recv().await.unwrap().frame.body().len(), 1);
    }

    #[tokio::test]
    async fn who_waits_for_memory_is_woken_by_the_end() {
        let memory = Arc::new(MemoryBudget::new(LEAST));
        let (delivery, _messages) = Delivery::new(1 << 20, memory);
        delivery.deliver(frame(LEAST / 2)).await;
        tokio::join!(delivery.deliver(frame(LEAST)), async { delivery.close() });
    }
}
