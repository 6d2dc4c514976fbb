//! Tickets, to wait for a commit from a thread or a task.

use super::sync::{Condvar, Mutex};
use super::{CommitError, StoreError, lock};
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};

/// The result of a committed body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Revision of the group of the body.
    pub revision: u64,
}

pub(super) type CommitResult = Result<Committed, CommitError>;

#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    resolved: Condvar,
}

#[derive(Default)]
struct State {
    result: Option<CommitResult>,
    waker: Option<Waker>,
}

/// A handle to the future result of a submitted body.
///
/// Await it in a task or [`wait`](Self::wait) on a thread. Dropping it does not cancel the body.
#[must_use = "whether the body was committed is known only once its ticket resolves"]
pub struct Ticket {
    slot: Arc<Slot>,
}

/// The writer's end of a [`Ticket`].
///
/// Dropped without a result, it resolves to a closed store.
pub struct Resolver {
    slot: Arc<Slot>,
}

impl Ticket {
    /// Creates a ticket and its resolver.
    pub fn new() -> (Self, Resolver) {
        let slot = Arc::new(Slot::default());
        let resolver = Resolver {
            slot: Arc::clone(&slot),
        };
        (Self { slot }, resolver)
    }

    /// Blocks the thread until the body is committed or fails.
    pub fn wait(self) -> Result<Committed, CommitError> {
        let mut state = lock(&self.slot.state);
        loop {
            if let Some(answer) = &state.result {
                return answer.clone();
            }
            state = self
                .slot
                .resolved
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Ticket")
            .field(&lock(&self.slot.state).result)
            .finish()
    }
}

impl Future for Ticket {
    type Output = Result<Committed, CommitError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.slot.state);
        if let Some(answer) = &state.result {
            return Poll::Ready(answer.clone());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Resolver {
    pub fn resolve(self, answer: Result<Committed, CommitError>) {
        self.set_result(answer);
    }

    /// Sets the result, unless there is one already (as on `drop`).
    fn set_result(&self, answer: CommitResult) {
        let waker = {
            let mut state = lock(&self.slot.state);
            if state.result.is_some() {
                return;
            }
            state.result = Some(answer);
            state.waker.take()
        };
        self.slot.resolved.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Resolver {
    fn drop(&mut self) {
        self.set_result(Err(CommitError::Engine(StoreError::Closed)));
    }
}
