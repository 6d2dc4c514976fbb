//! Who sees a handler through to its end.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::route::Reply;
use portcullis_api::code::Code;
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

/// The longest that a client waits for a handler.
const PATIENCE: Duration = Duration::from_secs(10);

/// Handlers at work.
#[derive(Debug)]
pub(crate) struct Errands {
    patience: Duration,
    /// Those that go on without their client.
    carried: TaskTracker,
}

impl Errands {
    /// Gives handlers 10 s.
    pub(crate) fn new() -> Self {
        Self::with(PATIENCE)
    }

    fn with(patience: Duration) -> Self {
        Self {
            patience,
            carried: TaskTracker::new(),
        }
    }

    /// Runs a handler that changes nothing. It ends when nobody waits for it any more.
    pub(crate) async fn ask(&self, reply: Reply) -> Result<Answer, ApiError> {
        timeout(self.patience, reply)
            .await
            .unwrap_or_else(|_elapsed| Err(too_long()))
    }

    /// Runs a handler that may change the store. That is carried to its end, with its audit line,
    /// even if the client does not wait for the answer, or waits too long. `kept` is dropped then.
    pub(crate) async fn carry(
        &self,
        reply: Reply,
        kept: impl Send + 'static,
    ) -> Result<Answer, ApiError> {
        let work = async move {
            let outcome = reply.await;
            drop(kept);
            outcome
        };
        let task = self.carried.spawn(work.in_current_span());
        match timeout(self.patience, task).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(failed)) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_cancelled) => Err(too_long()),
            },
            Err(_elapsed) => Err(too_long()),
        }
    }

    /// Waits until nothing is carried any more.
    pub(crate) async fn settled(&self) {
        // More can still be begun; closing only says that somebody waits.
        self.carried.close();
        self.carried.wait().await;
    }
}

fn too_long() -> ApiError {
    ApiError::new(Code::Timeout).retry_after(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::{Semaphore, oneshot};

    /// A handler that waits for leave, and a receiver that hears of its end, good or bad.
    fn waiting(leave: &Arc<Semaphore>) -> (Reply, oneshot::Receiver<()>) {
        let (done, hears) = oneshot::channel();
        let leave = Arc::clone(leave);
        let reply: Reply = Box::pin(async move {
            leave.acquire().await.unwrap().forget();
            done.send(()).unwrap();
            Ok(Answer::done())
        });
        (reply, hears)
    }

    #[tokio::test]
    async fn question_ends_with_the_patience_of_its_client() {
        let errands = Errands::with(Duration::from_millis(20));
        let (reply, hears) = waiting(&Arc::new(Semaphore::new(0)));
        let error = errands.ask(reply).await.unwrap_err();
        assert_eq!(error.status, 503);
        assert!(hears.await.is_err(), "it was dropped");
    }

    #[tokio::test]
    async fn change_is_carried_to_its_end_and_waited_for() {
        let errands = Errands::with(Duration::from_millis(20));
        let leave = Arc::new(Semaphore::new(0));
        let (kept, is_kept) = oneshot::channel::<()>();
        let (reply, mut hears) = waiting(&leave);
        let error = errands.carry(reply, kept).await.unwrap_err();
        assert_eq!(error.status, 503);
        assert!(hears.try_recv().is_err() && !is_kept.is_terminated());

        let settled = timeout(Duration::from_millis(20), errands.settled()).await;
        assert!(settled.is_err(), "it is not done yet");
        leave.add_permits(1);
        errands.settled().await;
        assert!(hears.try_recv().is_ok());
        assert!(is_kept.await.is_err(), "dropped with the task");
    }

    #[tokio::test]
    async fn change_of_a_client_that_left_is_carried_too() {
        let errands = Errands::new();
        let leave = Arc::new(Semaphore::new(0));
        let (reply, mut hears) = waiting(&leave);
        let left = timeout(Duration::from_millis(20), errands.carry(reply, ())).await;
        assert!(left.is_err());
        leave.add_permits(1);
        errands.settled().await;
        assert!(hears.try_recv().is_ok());
    }
}
