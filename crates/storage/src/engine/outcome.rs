//! Bodies that return something.

use super::ticket::Answer;
use super::{Abort, CommitError, Engine, Overloaded, StoreError, Ticket, WriteTx, lock};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

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
