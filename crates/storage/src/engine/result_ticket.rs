//! Transaction bodies with a return value.

use super::ticket::CommitResult;
use super::{Abort, CommitError, Engine, OverloadedError, StoreError, Ticket, WriteTx, lock};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

/// A [`Ticket`] with the return value of the body.
#[must_use = "whether the body was committed is known only once its outcome resolves"]
pub struct ResultTicket<T, E> {
    ticket: Ticket,
    returned: Returned<T, E>,
}

type Returned<T, E> = Arc<Mutex<Option<Result<T, E>>>>;

impl<T, E> ResultTicket<T, E> {
    /// Blocks the thread until the body is committed or fails.
    pub fn wait(self) -> Result<Result<T, E>, CommitError> {
        let answer = self.ticket.wait();
        take_result(answer, &self.returned)
    }
}

impl<T, E> std::fmt::Debug for ResultTicket<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ResultTicket").field(&self.ticket).finish()
    }
}

impl<T, E> Future for ResultTicket<T, E> {
    type Output = Result<Result<T, E>, CommitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = std::task::ready!(Pin::new(&mut self.ticket).poll(context));
        Poll::Ready(take_result(answer, &self.returned))
    }
}

fn take_result<T, E>(
    answer: CommitResult,
    returned: &Returned<T, E>,
) -> Result<Result<T, E>, CommitError> {
    match answer {
        // In these two cases the body has set its result; it is missing only on a second poll.
        Ok(_) | Err(CommitError::Aborted(Abort)) => lock(returned)
            .take()
            .ok_or(CommitError::Engine(StoreError::Closed)),
        Err(error) => Err(error),
    }
}

/// Submits a body with a return value.
///
/// An `Err` of the body discards its writes. Like `Ok`, it is returned only after the group is
/// durable, so that everything the body has read is durable too.
///
/// # Errors
///
/// [`OverloadedError`] when the queue is full; the body is not queued.
pub fn submit_with<C, T, E, N>(
    engine: &N,
    mut body: impl FnMut(&mut dyn WriteTx<C>) -> Result<T, E> + Send + 'static,
) -> Result<ResultTicket<T, E>, OverloadedError>
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
    Ok(ResultTicket { ticket, returned })
}
