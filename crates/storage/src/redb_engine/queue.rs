//! Bodies that wait for the writer.

use super::lock;
use super::sync::{Condvar, Mutex};
use super::ticket::Resolver;
use crate::engine::{Body, Overloaded};
use std::collections::VecDeque;
use std::sync::PoisonError;

/// A body and the ticket it answers.
pub(super) struct Job<C> {
    pub(super) body: Body<C>,
    pub(super) resolver: Resolver,
}

/// What the writer has to do next.
pub(super) enum Turn<C> {
    /// Begin a group with this body.
    Group(Job<C>),
    /// Nothing waits, but someone could not read: see to the store.
    Tend,
}

pub(super) struct Queue<C> {
    capacity: usize,
    state: Mutex<State<C>>,
    changed: Condvar,
}

struct State<C> {
    jobs: VecDeque<Job<C>>,
    nudged: bool,
    closed: bool,
}

impl<C> Queue<C> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            state: Mutex::new(State {
                jobs: VecDeque::new(),
                nudged: false,
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Takes `job`; a closed queue drops it, which answers that the store is closed.
    pub(super) fn push(&self, job: Job<C>) -> Result<(), Overloaded> {
        let mut state = lock(&self.state);
        if state.closed {
            return Ok(());
        }
        if state.jobs.len() >= self.capacity {
            return Err(Overloaded);
        }
        state.jobs.push_back(job);
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    pub(super) fn nudge(&self) {
        lock(&self.state).nudged = true;
        self.changed.notify_one();
    }

    /// Lets the writer finish what is queued and then end.
    pub(super) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_one();
    }

    /// Waits for the next thing to do; `None` when there will be nothing more.
    pub(super) fn wait(&self) -> Option<Turn<C>> {
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(Turn::Group(job));
            }
            if state.closed {
                return None;
            }
            if std::mem::take(&mut state.nudged) {
                return Some(Turn::Tend);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the next body if one is there.
    pub(super) fn next(&self) -> Option<Job<C>> {
        lock(&self.state).jobs.pop_front()
    }

    /// Drops all that is queued and all that will be.
    pub(super) fn abandon(&self) {
        let jobs = {
            let mut state = lock(&self.state);
            state.closed = true;
            std::mem::take(&mut state.jobs)
        };
        drop(jobs);
    }
}
