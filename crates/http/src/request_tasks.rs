//! Handler tasks, with their timeout.

use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::HandlerFuture;
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

const HANDLER_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs handlers within a timeout.
#[derive(Debug)]
pub(crate) struct RequestTasks {
    handler_timeout: Duration,
    /// Handlers that run on even if their client leaves.
    tasks: TaskTracker,
}

impl RequestTasks {
    /// Runs handlers with a timeout of 10 s.
    pub(crate) fn new() -> Self {
        Self::with_timeout(HANDLER_TIMEOUT)
    }

    fn with_timeout(handler_timeout: Duration) -> Self {
        Self {
            handler_timeout,
            tasks: TaskTracker::new(),
        }
    }

    /// Runs a handler that changes nothing. It is dropped when the client leaves or the time is
    /// over.
    pub(crate) async fn run_cancellable(
        &self,
        reply: HandlerFuture,
    ) -> Result<ApiResponse, ApiError> {
        timeout(self.handler_timeout, reply)
            .await
            .unwrap_or_else(|_elapsed| Err(ApiError::timeout()))
    }

    /// Runs a handler that may change the store. It runs to completion, with its audit record, even
    /// if the client leaves or the time is over. `guard` is dropped when it ends.
    pub(crate) async fn run_to_completion(
        &self,
        reply: HandlerFuture,
        guard: impl Send + 'static,
    ) -> Result<ApiResponse, ApiError> {
        let work = async move {
            let outcome = reply.await;
            drop(guard);
            outcome
        };
        let task = self.tasks.spawn(work.in_current_span());
        match timeout(self.handler_timeout, task).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(failed)) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_cancelled) => Err(ApiError::timeout()),
            },
            Err(_elapsed) => Err(ApiError::timeout()),
        }
    }

    /// Waits until all handlers have ended.
    pub(crate) async fn drain(&self) {
        // New handlers can still be spawned; closing only lets `wait` return.
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::{Semaphore, oneshot};

    /// A handler that waits for a permit, and a receiver that resolves when it ends.
    fn waiting(permits: &Arc<Semaphore>) -> (HandlerFuture, oneshot::Receiver<()>) {
        let (done, ended) = oneshot::channel();
        let leave = Arc::clone(permits);
        let reply: HandlerFuture = Box::pin(async move {
            leave.acquire().await.unwrap().forget();
            done.send(()).unwrap();
            Ok(ApiResponse::empty())
        });
        (reply, ended)
    }

    #[tokio::test]
    async fn reading_handler_ends_at_its_timeout() {
        let tasks = RequestTasks::with_timeout(Duration::from_millis(20));
        let (reply, ended) = waiting(&Arc::new(Semaphore::new(0)));
        let error = tasks.run_cancellable(reply).await.unwrap_err();
        assert_eq!(error.status, 503);
        assert!(ended.await.is_err(), "it was dropped");
    }

    #[tokio::test]
    async fn changing_handler_completes_and_is_drained() {
        let tasks = RequestTasks::with_timeout(Duration::from_millis(20));
        let permits = Arc::new(Semaphore::new(0));
        let (guard, is_held) = oneshot::channel::<()>();
        let (reply, mut ended) = waiting(&permits);
        let error = tasks.run_to_completion(reply, guard).await.unwrap_err();
        assert_eq!(error.status, 503);
        assert!(ended.try_recv().is_err() && !is_held.is_terminated());

        let drained = timeout(Duration::from_millis(20), tasks.drain()).await;
        assert!(drained.is_err(), "it is not done yet");
        permits.add_permits(1);
        tasks.drain().await;
        assert!(ended.try_recv().is_ok());
        assert!(is_held.await.is_err(), "dropped with the task");
    }

    #[tokio::test]
    async fn changing_handler_completes_after_its_client_left() {
        let tasks = RequestTasks::new();
        let permits = Arc::new(Semaphore::new(0));
        let (reply, mut ended) = waiting(&permits);
        let left = timeout(
            Duration::from_millis(20),
            tasks.run_to_completion(reply, ()),
        )
        .await;
        assert!(left.is_err());
        permits.add_permits(1);
        tasks.drain().await;
        assert!(ended.try_recv().is_ok());
    }
}
