//! The jobs of the pool: those who have one add it, and the threads take them.

use super::queue::{FairQueue, Lane};
use super::sync::{Condvar, Mutex, MutexGuard};
use portcullis_domain::peer::{Peer, RecentPeers};
use std::sync::PoisonError;
use std::time::Instant;

pub(super) struct Jobs<J> {
    state: Mutex<State<J>>,
    /// Told of each new job, and of the end.
    changed: Condvar,
}

struct State<J> {
    queue: FairQueue<J>,
    recent: RecentPeers,
    is_closed: bool,
}

impl<J> Jobs<J> {
    /// Room for so many jobs of strangers, and as many of sessions and of addresses that have logged
    /// in lately.
    pub(super) fn new(room: usize) -> Self {
        Self {
            state: Mutex::new(State {
                queue: FairQueue::new(room),
                recent: RecentPeers::default(),
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Remembers that a peer has logged in.
    pub(super) fn trust(&self, peer: Peer) {
        self.lock().recent.note(peer);
    }

    /// Adds a job. Whichever is turned away, now or later, is dropped.
    pub(super) fn add(&self, peer: Peer, job: J) {
        let now = Instant::now();
        let turned_away = {
            let mut state = self.lock();
            let lane = match peer {
                Peer::Identity(_) => Lane::Trusted,
                Peer::Address(_) if state.recent.has(peer) => Lane::Trusted,
                Peer::Address(_) => Lane::Unknown,
            };
            state.queue.push(lane, peer, job, now)
        };
        drop(turned_away);
        self.changed.notify_one();
    }

    /// Has all threads end once they have done what they are at.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// A job that is there already.
    pub(super) fn waiting(&self) -> Option<J> {
        let mut state = self.lock();
        if state.is_closed {
            None
        } else {
            state.queue.pop()
        }
    }

    /// The next job, whenever it comes; `None` at the end.
    pub(super) fn next(&self) -> Option<J> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.queue.pop() {
                return Some(job);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
