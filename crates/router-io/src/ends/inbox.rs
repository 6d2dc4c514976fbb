//! What is on its way to an end.

use std::collections::VecDeque;
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use portcullis_memory_budget::{Account, MemoryBudget};
use portcullis_router::edge::CircuitId;
use portcullis_xgress::{MAX_OVERHEAD, MAX_PAYLOADS};
use tokio::sync::{Notify, oneshot};

use super::{EndTerms, Start};
use crate::circuit_message::CircuitMessage;
use crate::relay::{Destination, EndView};
use crate::sdk_channels::SdkEnd;

/// Messages that an empty inbox keeps room for.
const KEPT: usize = 16;

/// What waits for the task of an end: messages, and what others want of it.
pub(super) struct Inbox {
    circuit: CircuitId,
    sdk: Option<SdkEnd>,
    /// Of data. As much as the end could take at best, so that nothing is refused only because the task
    /// has not run.
    max_bytes: usize,
    state: Mutex<State>,
    /// Of the task.
    waker: AtomicWaker,
    room: Arc<Room>,
}

/// Those who wait for room.
#[derive(Default)]
struct Room {
    /// Whether something was refused, and nothing has been taken since.
    has_refused: AtomicBool,
    freed: Notify,
}

struct State {
    messages: VecDeque<CircuitMessage>,
    /// Of data.
    bytes: usize,
    /// Holds the weight of the messages.
    memory: Account,
    wishes: Wishes,
    /// The end is gone; what is delivered now is dropped.
    is_closed: bool,
}

/// What others want of an end.
#[derive(Default)]
pub(super) struct Wishes {
    pub(super) is_started: bool,
    pub(super) is_unrouted: bool,
    pub(super) is_aborted: bool,
    pub(super) views: Vec<oneshot::Sender<EndView>>,
}

impl Inbox {
    pub(super) fn new(terms: &EndTerms, sdk: Option<SdkEnd>, memory: &Arc<MemoryBudget>) -> Self {
        let wishes = Wishes {
            is_started: terms.start == Start::AtOnce,
            ..Wishes::default()
        };
        Self {
            circuit: terms.circuit.clone(),
            sdk,
            max_bytes: usize::try_from(terms.options.receive_buffer).unwrap_or(usize::MAX),
            state: Mutex::new(State {
                messages: VecDeque::new(),
                bytes: 0,
                memory: Account::new(memory),
                wishes,
                is_closed: false,
            }),
            waker: AtomicWaker::new(),
            room: Arc::default(),
        }
    }

    pub(super) const fn waker(&self) -> &AtomicWaker {
        &self.waker
    }

    pub(super) const fn circuit(&self) -> &CircuitId {
        &self.circuit
    }

    /// The memory that the end shares with others.
    pub(super) fn budget(&self) -> Arc<MemoryBudget> {
        Arc::clone(self.state.lock().memory.budget())
    }

    pub(super) fn want(&self, wish: impl FnOnce(&mut Wishes)) {
        let mut state = self.state.lock();
        if !state.is_closed {
            wish(&mut state.wishes);
        }
        drop(state);
        self.waker.wake();
    }

    /// Takes everything. `messages`, which is empty, is what the inbox goes on with.
    pub(super) fn take(&self, messages: &mut VecDeque<CircuitMessage>) -> Wishes {
        if messages.capacity() > KEPT {
            *messages = VecDeque::new();
        }
        let mut state = self.state.lock();
        mem::swap(&mut state.messages, messages);
        state.clear_sizes();
        let wishes = Wishes {
            views: mem::take(&mut state.wishes.views),
            ..state.wishes
        };
        self.room.free();
        wishes
    }

    /// The end is gone.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.clear_sizes();
        let rest = (mem::take(&mut state.messages), mem::take(&mut state.wishes));
        self.room.free();
        drop(state);
        drop(rest);
    }
}

impl State {
    fn has_room(&self, max_bytes: usize) -> bool {
        let allowance = self.memory.budget().allowance();
        let max_weight = max_bytes.saturating_add(MAX_OVERHEAD).min(allowance);
        self.bytes < max_bytes
            && self.memory.held() < max_weight
            && self.messages.len() < MAX_PAYLOADS
    }

    fn push(&mut self, message: CircuitMessage) {
        self.bytes += message.data_len();
        self.memory.set(self.memory.held() + message.weight());
        self.messages.push_back(message);
    }

    /// The messages were taken.
    fn clear_sizes(&mut self) {
        self.bytes = 0;
        self.memory.set(0);
    }
}

impl Room {
    /// Called under the lock of the inbox, as what sets the flag is.
    fn free(&self) {
        if self.has_refused.swap(false, Ordering::AcqRel) {
            self.freed.notify_waiters();
        }
    }

    async fn wait(self: Arc<Self>) {
        let mut freed = pin!(self.freed.notified());
        loop {
            freed.as_mut().enable();
            if !self.has_refused.load(Ordering::Acquire) {
                return;
            }
            freed.as_mut().await;
            freed.set(self.freed.notified());
        }
    }
}

impl Destination for Inbox {
    fn deliver(&self, mut message: CircuitMessage) -> Result<(), CircuitMessage> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Ok(());
        }
        if !state.has_room(self.max_bytes) {
            self.room.has_refused.store(true, Ordering::Release);
            return Err(message);
        }
        message.compact();
        state.push(message);
        drop(state);
        self.waker.wake();
        Ok(())
    }

    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        Box::pin(Arc::clone(&self.room).wait())
    }

    fn unrouted(&self, circuit: &str) {
        if circuit == self.circuit.as_str() {
            self.want(|wishes| wishes.is_unrouted = true);
        }
    }

    fn sdk_end(&self) -> Option<SdkEnd> {
        self.sdk.clone()
    }

    fn end_view(&self) -> BoxFuture<'static, Option<EndView>> {
        let (sender, view) = oneshot::channel();
        self.want(|wishes| wishes.views.push(sender));
        Box::pin(async move { view.await.ok() })
    }
}
