//! Waiting for a commit, from a thread or from a task.

use super::{Abort, CommitError, Engine, Overloaded, StoreError, WriteTx};
use crate::lock;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// What a committed body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Revision of the group that the body was committed in.
    pub revision: u64,
}

type Answer = Result<Committed, CommitError>;

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

/// A [`Ticket`] together with what the body returned.
#[must_use = "whether the body was committed is known only once its outcome resolves"]
pub struct Outcome<T, E> {
    ticket: Ticket,
    returned: Returned<T, E>,
}

type Returned<T, E> = Arc<Mutex<Option<Result<T, E>>>>;

impl<T, E> Outcome<T, E> {
    /// Blocks the thread until the body is answered.
    pub fn wait(self) -> Result<Result<T, E>, CommitError> {
        let answer = self.ticket.wait();
        settle(answer, &self.returned)
    }
}

impl<T, E> std::fmt::Debug for Outcome<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Outcome").field(&self.ticket).finish()
    }
}

impl<T, E> Future for Outcome<T, E> {
    type Output = Result<Result<T, E>, CommitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = std::task::ready!(Pin::new(&mut self.ticket).poll(context));
        Poll::Ready(settle(answer, &self.returned))
    }
}

fn settle<T, E>(answer: Answer, returned: &Returned<T, E>) -> Result<Result<T, E>, CommitError> {
    match answer {
        // A body that was answered one of these two ways left its result; it is gone only for
        // whoever asks a second time.
        Ok(_) | Err(CommitError::Aborted(Abort)) => lock(returned)
            .take()
            .ok_or(CommitError::Engine(StoreError::Closed)),
        Err(error) => Err(error),
    }
}

/// Submits a body that returns something.
///
/// `Err` of the body discards what it wrote; it is handed out after the body's group is on disk,
/// like `Ok`, so that whatever the body decided by is durable.
///
/// # Errors
///
/// [`Overloaded`] when the queue is full; the body was not taken.
pub fn submit_with<C, T, E, N>(
    engine: &N,
    mut body: impl FnMut(&mut dyn WriteTx<C>) -> Result<T, E> + Send + 'static,
) -> Result<Outcome<T, E>, Overloaded>
where
    C: Send + Sync + 'static,
    T: Send + 'static,
    E: Send + 'static,
    N: Engine<C> + ?Sized,
{
    let returned: Returned<T, E> = Arc::default();
    let cell = Arc::clone(&returned);
    let ticket = engine.submit(Box::new(move |tx| {
        let result = body(tx);
        let verdict = if result.is_ok() { Ok(()) } else { Err(Abort) };
        *lock(&cell) = Some(result);
        verdict
    }))?;
    Ok(Outcome { ticket, returned })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    struct Counter(AtomicUsize);

    impl Wake for Counter {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn resolving_wakes_the_task() {
        let (mut ticket, resolver) = Ticket::new();
        let counter = Arc::new(Counter(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&counter));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut ticket).poll(&mut context).is_pending());
        resolver.resolve(Ok(Committed { revision: 7 }));
        assert_eq!(counter.0.load(Ordering::SeqCst), 1);
        let Poll::Ready(Ok(committed)) = Pin::new(&mut ticket).poll(&mut context) else {
            panic!("the ticket is not resolved");
        };
        assert_eq!(committed.revision, 7);
    }

    #[test]
    fn resolving_wakes_the_thread() {
        let (ticket, resolver) = Ticket::new();
        let waiting = std::thread::spawn(move || ticket.wait());
        resolver.resolve(Err(CommitError::Panicked));
        assert!(matches!(
            waiting.join().unwrap(),
            Err(CommitError::Panicked)
        ));
    }

    #[test]
    fn unanswered_ticket_reports_a_closed_store() {
        let (ticket, resolver) = Ticket::new();
        drop(resolver);
        assert!(matches!(
            ticket.wait(),
            Err(CommitError::Engine(StoreError::Closed))
        ));
    }
}
