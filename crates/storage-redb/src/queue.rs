//! Queue of bodies for the writer.

use super::sync::{Condvar, Mutex};
use super::{Resolver, lock};
use portcullis_storage::engine::{OverloadedError, TxBody};
use std::collections::VecDeque;
use std::sync::PoisonError;

/// A body and the resolver of its ticket.
pub(crate) struct Job<C> {
    pub(crate) body: TxBody<C>,
    pub(crate) resolver: Resolver,
}

/// The next task of the writer.
pub(crate) enum Task<C> {
    /// Start a group with this body.
    Commit(Job<C>),
    /// The queue is empty, but a read failed: reopen the store if necessary.
    Reopen,
}

pub(crate) struct Queue<C> {
    capacity: usize,
    state: Mutex<State<C>>,
    changed: Condvar,
}

struct State<C> {
    jobs: VecDeque<Job<C>>,
    reopen_requested: bool,
    closed: bool,
}

impl<C> Queue<C> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            state: Mutex::new(State {
                jobs: VecDeque::new(),
                reopen_requested: false,
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Queues `job`; a closed queue drops it, which resolves its ticket with a closed store.
    pub(crate) fn push(&self, job: Job<C>) -> Result<(), OverloadedError> {
        let mut state = lock(&self.state);
        if state.closed {
            return Ok(());
        }
        if state.jobs.len() >= self.capacity {
            return Err(OverloadedError);
        }
        state.jobs.push_back(job);
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    pub(crate) fn request_reopen(&self) {
        lock(&self.state).reopen_requested = true;
        self.changed.notify_one();
    }

    /// Lets the writer finish the queue and end.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_one();
    }

    /// Waits for the next task; `None` once closed and empty.
    pub(crate) fn wait(&self) -> Option<Task<C>> {
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(Task::Commit(job));
            }
            if state.closed {
                return None;
            }
            if std::mem::take(&mut state.reopen_requested) {
                return Some(Task::Reopen);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the next body, if any.
    pub(crate) fn next(&self) -> Option<Job<C>> {
        lock(&self.state).jobs.pop_front()
    }

    /// Closes the queue and drops its contents.
    pub(crate) fn discard(&self) {
        let jobs = {
            let mut state = lock(&self.state);
            state.closed = true;
            std::mem::take(&mut state.jobs)
        };
        drop(jobs);
    }
}
