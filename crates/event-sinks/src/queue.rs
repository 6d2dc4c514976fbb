//! Events that wait for a subscriber.

use parking_lot::{Condvar, Mutex};
use portcullis_events::{BURST_BYTES, Event};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// Maximum size of the events that wait for one subscriber, in bytes of memory. It is what bounds a queue: the number
/// of events only comes near it when all of them are small. Those who wait for the same events share them.
const MAX_BYTES: usize = BURST_BYTES;

/// Events that are written together.
const BATCH: usize = 256;

/// How long an event may wait for others, so that who takes them does not wake up for each.
const GATHER: Duration = Duration::from_millis(20);

/// An event that one of a subscriber's subscriptions wants.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) event: Arc<Event>,
    /// [Size](Event::size) of the event, in bytes.
    pub(crate) size: usize,
    /// Position of the subscription.
    pub(crate) subscription: usize,
}

/// Bounded queue, filled by any number of threads and emptied by one thread or task.
#[derive(Debug)]
pub(crate) struct Queue {
    capacity: usize,
    state: Mutex<State>,
    /// For a thread that waits.
    changed: Condvar,
    /// For a task that waits.
    notify: Notify,
    dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Delivery>,
    bytes: usize,
    is_closed: bool,
    /// Whether the thread is to return from waiting, though nothing came.
    is_woken: bool,
}

impl State {
    fn pop(&mut self) -> Option<Delivery> {
        let delivery = self.waiting.pop_front()?;
        self.bytes = self.bytes.saturating_sub(delivery.size);
        Some(delivery)
    }
}

impl Queue {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            state: Mutex::default(),
            changed: Condvar::new(),
            notify: Notify::new(),
            dropped: AtomicU64::new(0),
        }
    }

    /// Adds a delivery. Returns whether it was dropped because the queue is full.
    pub(crate) fn push(&self, delivery: Delivery) -> bool {
        let mut state = self.state.lock();
        if state.is_closed {
            return false;
        }
        let bytes = state.bytes.saturating_add(delivery.size);
        // One event is taken in any case, however large.
        let is_too_much = bytes > MAX_BYTES && !state.waiting.is_empty();
        if state.waiting.len() >= self.capacity || is_too_much {
            drop(state);
            self.count_dropped(1);
            return true;
        }
        state.bytes = bytes;
        state.waiting.push_back(delivery);
        let count = state.waiting.len();
        drop(state);
        // Whoever waits does so for the first one, or for as many as are worth a write.
        if count == 1 || count == self.batch() {
            self.announce();
        }
        false
    }

    /// Number of deliveries that are worth a write of their own: there is room for as many again meanwhile.
    fn batch(&self) -> usize {
        BATCH.min(self.capacity.div_ceil(2))
    }

    /// Takes up to [`BATCH`] deliveries without waiting.
    pub(crate) fn take(&self) -> Vec<Delivery> {
        let mut state = self.state.lock();
        let count = state.waiting.len().min(BATCH);
        (0..count).filter_map(|_| state.pop()).collect()
    }

    /// Takes everything without waiting; returns how much that was.
    pub(crate) fn clear(&self) -> usize {
        let mut state = self.state.lock();
        state.bytes = 0;
        state.waiting.drain(..).count()
    }

    /// Blocks the thread until there is something to take, the queue is closed, or somebody wakes it. After the
    /// first delivery, it waits a little for others to go with it.
    pub(crate) fn wait(&self) {
        let mut state = self.state.lock();
        let is_quiet = |state: &State| !state.is_closed && !state.is_woken;
        while state.waiting.is_empty() && is_quiet(&state) {
            self.changed.wait(&mut state);
        }
        let is_few = |state: &mut State| is_quiet(state) && state.waiting.len() < self.batch();
        self.changed.wait_while_for(&mut state, is_few, GATHER);
        state.is_woken = false;
    }

    /// Blocks the thread for some time, or until the queue is closed or somebody wakes it.
    pub(crate) fn pause(&self, time: Duration) {
        let mut state = self.state.lock();
        let is_quiet = |state: &mut State| !state.is_closed && !state.is_woken;
        self.changed.wait_while_for(&mut state, is_quiet, time);
        state.is_woken = false;
    }

    /// Waits for the next delivery; `None` once the queue is closed and empty. After one that came to an empty queue,
    /// it waits a little for others to go with it.
    pub(crate) async fn recv(&self) -> Option<Delivery> {
        loop {
            let changed = self.notify.notified();
            {
                let mut state = self.state.lock();
                if let Some(delivery) = state.pop() {
                    return Some(delivery);
                }
                if state.is_closed {
                    return None;
                }
            }
            changed.await;
            let _more = timeout(GATHER, self.notify.notified()).await;
        }
    }

    /// Takes nothing more in; what waits can still be taken.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.announce();
    }

    /// Ends the waiting of the thread.
    pub(crate) fn wake(&self) {
        self.state.lock().is_woken = true;
        self.announce();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    /// Number of deliveries that wait.
    pub(crate) fn len(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Number of deliveries that were dropped so far.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    pub(crate) fn count_dropped(&self, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.dropped.fetch_add(count, Ordering::Relaxed);
    }

    /// Tells whoever waits that something has changed.
    fn announce(&self) {
        self.changed.notify_one();
        self.notify.notify_one();
    }
}
