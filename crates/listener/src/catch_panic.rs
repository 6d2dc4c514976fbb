//! Isolation of panics to the request that they happen in.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

#[derive(Debug, thiserror::Error)]
#[error("the request handler panicked")]
pub struct PanicError;

/// Calls `begin` and awaits its future, turning a panic into an error.
///
/// State inside the future is dropped with it; shared state has to be behind locks that detect
/// poisoning.
pub async fn catch_panic<F: Future>(begin: impl FnOnce() -> F) -> Result<F::Output, PanicError> {
    let work = catch_unwind(AssertUnwindSafe(begin)).map_err(|_panic| PanicError)?;
    let mut work = pin!(work);
    poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(progress) => progress.map(Ok),
            Err(_panic) => Poll::Ready(Err(PanicError)),
        },
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_comes_out_as_an_error() {
        assert_eq!(catch_panic(|| async { 5 }).await.unwrap(), 5);
        let late = catch_panic(|| async {
            tokio::task::yield_now().await;
            panic!("as asked")
        });
        assert!(matches!(late.await, Err::<(), _>(PanicError)));
        let at_once = catch_panic(|| -> std::future::Ready<()> { panic!("as asked") });
        assert!(at_once.await.is_err());
    }
}
