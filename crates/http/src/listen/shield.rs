//! Panics, kept to the request that they happen in.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Work ended in a panic.
#[derive(Debug, thiserror::Error)]
#[error("answering the request panicked")]
pub(crate) struct Panicked;

/// Begins work and sees it to its end, or to its panic.
///
/// What a panic leaves half done inside the work is dropped with it; what it shares with others has
/// to sit behind locks that tell of a panic themselves.
pub(crate) async fn shielded<F: Future>(begin: impl FnOnce() -> F) -> Result<F::Output, Panicked> {
    let work = catch_unwind(AssertUnwindSafe(begin)).map_err(|_panic| Panicked)?;
    let mut work = pin!(work);
    poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(progress) => progress.map(Ok),
            Err(_panic) => Poll::Ready(Err(Panicked)),
        },
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_comes_out_as_an_error() {
        assert_eq!(shielded(|| async { 5 }).await.unwrap(), 5);
        let late = shielded(|| async {
            tokio::task::yield_now().await;
            panic!("as asked")
        });
        assert!(matches!(late.await, Err::<(), _>(Panicked)));
        let at_once = shielded(|| -> std::future::Ready<()> { panic!("as asked") });
        assert!(at_once.await.is_err());
    }
}
