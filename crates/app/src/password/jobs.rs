//! Job queue between requesters and threads of the pool.

use super::queue::{FairQueue, Lane};
use super::sync::{Condvar, Mutex, MutexGuard};
use portcullis_domain::peer::{Peer, RecentPeers};
use std::sync::PoisonError;
use std::time::Instant;

pub(super) struct Jobs<J> {
    state: Mutex<State<J>>,
    /// Notified of each new job, and when the queue is closed.
    changed: Condvar,
}

struct State<J> {
    queue: FairQueue<J>,
    recent: RecentPeers,
    is_closed: bool,
}

impl<J> Jobs<J> {
    /// Creates a queue for `capacity` jobs of unknown peers, and as many of trusted ones.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                queue: FairQueue::new(capacity),
                recent: RecentPeers::default(),
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Number of jobs that wait.
    pub(super) fn len(&self) -> usize {
        self.lock().queue.len()
    }

    /// Trusts a peer that logged in.
    pub(super) fn trust(&self, peer: Peer) {
        self.lock().recent.insert(peer);
    }

    /// Adds a job. Jobs that are rejected, now or later, are dropped.
    pub(super) fn add(&self, peer: Peer, job: J) {
        let now = Instant::now();
        let turned_away = {
            let mut state = self.lock();
            let lane = match peer {
                Peer::Identity(_) => Lane::Trusted,
                Peer::Address(_) if state.recent.contains(peer) => Lane::Trusted,
                Peer::Address(_) => Lane::Unknown,
            };
            state.queue.push(lane, peer, job, now)
        };
        drop(turned_away);
        self.changed.notify_one();
    }

    /// Ends all threads after their current job.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Takes a job without waiting.
    pub(super) fn waiting(&self) -> Option<J> {
        let mut state = self.lock();
        if state.is_closed {
            None
        } else {
            state.queue.pop()
        }
    }

    /// Waits for the next job; `None` when the queue is closed.
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
