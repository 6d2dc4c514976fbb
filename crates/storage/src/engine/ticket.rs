//! Waiting for a commit, from a thread or from a task.

use super::sync::{Condvar, Mutex};
use super::{CommitError, StoreError, lock};
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};

/// What a committed body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Revision of the group that the body was committed in.
    pub revision: u64,
}

pub(super) type Answer = Result<Committed, CommitError>;

#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    answered: Condvar,
}

#[derive(Default)]
struct State {
    answer: Option<Answer>,
    waker: Option<Waker>,
}

/// The promise that a submitted body will be answered.
///
/// Await it in a task or [`wait`](Self::wait) on a thread. Dropping it does not stop the body.
#[must_use = "whether the body was committed is known only once its ticket resolves"]
pub struct Ticket {
    slot: Arc<Slot>,
}

/// The writer's end of a [`Ticket`].
///
/// Dropped without an answer, it answers that the store is closed.
pub(crate) struct Resolver {
    slot: Arc<Slot>,
}

impl Ticket {
    /// Makes a ticket and the end that answers it.
    pub(crate) fn new() -> (Self, Resolver) {
        let slot = Arc::new(Slot::default());
        let resolver = Resolver {
            slot: Arc::clone(&slot),
        };
        (Self { slot }, resolver)
    }

    /// Blocks the thread until the body is answered.
    pub fn wait(self) -> Result<Committed, CommitError> {
        let mut state = lock(&self.slot.state);
        loop {
            if let Some(answer) = &state.answer {
                return answer.clone();
            }
            state = self
                .slot
                .answered
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Ticket")
            .field(&lock(&self.slot.state).answer)
            .finish()
    }
}

impl Future for Ticket {
    type Output = Result<Committed, CommitError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.slot.state);
        if let Some(answer) = &state.answer {
            return Poll::Ready(answer.clone());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Resolver {
    pub(crate) fn resolve(self, answer: Result<Committed, CommitError>) {
        self.answer(answer);
    }

    /// Gives the first answer; later ones, such as that of `drop`, change nothing.
    fn answer(&self, answer: Answer) {
        let waker = {
            let mut state = lock(&self.slot.state);
            if state.answer.is_some() {
                return;
            }
            state.answer = Some(answer);
            state.waker.take()
        };
        self.slot.answered.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Resolver {
    fn drop(&mut self) {
        self.answer(Err(CommitError::Engine(StoreError::Closed)));
    }
}
