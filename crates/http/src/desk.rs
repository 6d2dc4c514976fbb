//! Work that may have to look at every record there is.

use crate::error::ApiError;
use portcullis_api::code::Code;
use portcullis_app::{AppError, aside};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

/// Works away from the threads that serve connections: on a few things at a time, with a line of
/// bounded length before it.
#[derive(Debug)]
pub(crate) struct Desk {
    places: Semaphore,
    line: Semaphore,
}

/// Whoever waits for work at a [`Desk`].
#[derive(Clone, Debug)]
pub(crate) struct Requester {
    is_gone: Arc<AtomicBool>,
}

/// Stands in a request for its requester, who leaves when it is dropped.
#[derive(Debug)]
struct Presence(Requester);

impl Desk {
    /// Works on `places` things at a time, while `line` more wait.
    pub(crate) const fn new(places: usize, line: usize) -> Self {
        Self {
            places: Semaphore::const_new(places),
            line: Semaphore::const_new(line),
        }
    }

    /// Waits for a place and does `work` there.
    ///
    /// When the returned future is dropped, work that has not begun never does, and work that has
    /// can find out: it is handed the requester. It keeps its place until it ends.
    ///
    /// # Errors
    ///
    /// 429 when too many wait already, and the errors of `work`.
    pub(crate) async fn work<T: Send + 'static>(
        &'static self,
        work: impl FnOnce(&Requester) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let waits = self
            .line
            .try_acquire()
            .map_err(|_full| ApiError::new(Code::ServerTooManyRequests).retry_after(1))?;
        let place = self.places.acquire().await;
        drop(waits);
        let requester = Requester {
            is_gone: Arc::default(),
        };
        let _presence = Presence(requester.clone());
        let working = move || {
            let _place = place;
            if requester.is_gone() {
                return Err(AppError::NotReady.into());
            }
            work(&requester)
        };
        aside(working).await
    }
}

impl Requester {
    /// Reports whether nobody waits any more: the client left, or its time is over. Cheap enough to
    /// be asked for every record.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.is_gone.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::sync::oneshot;

    /// Begins work that goes on until its requester is gone; answers when it is under way. The
    /// receiver hears of its end.
    async fn occupy(desk: &'static Desk) -> (tokio::task::JoinHandle<()>, mpsc::Receiver<()>) {
        let (begun, begins) = oneshot::channel();
        let (ended, ends) = mpsc::channel();
        let request = tokio::spawn(async move {
            let _ = desk
                .work(move |requester| {
                    begun.send(()).unwrap();
                    while !requester.is_gone() {
                        std::thread::yield_now();
                    }
                    ended.send(()).unwrap();
                    Ok(())
                })
                .await;
        });
        begins.await.unwrap();
        (request, ends)
    }

    #[tokio::test]
    async fn work_learns_that_nobody_waits_any_more() {
        static DESK: Desk = Desk::new(1, 1);
        let (request, ends) = occupy(&DESK).await;
        request.abort();
        let ended = tokio::task::spawn_blocking(move || ends.recv_timeout(Duration::from_secs(20)));
        ended.await.unwrap().unwrap();
        let next = DESK.work(|_requester| Ok("next")).await;
        assert_eq!(next.unwrap(), "next");
    }

    #[tokio::test]
    async fn line_is_bounded_and_left_by_those_who_give_up() {
        static DESK: Desk = Desk::new(1, 1);
        let (request, _ends) = occupy(&DESK).await;
        let never = DESK.work(|_requester| -> Result<(), ApiError> { panic!("for nobody") });
        let waits = tokio::spawn(never);
        while DESK.line.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let error = DESK.work(|_requester| Ok(())).await.unwrap_err();
        assert_eq!(error.status, 429);
        assert!(error.headers.iter().any(|(name, _)| name == "retry-after"));

        waits.abort();
        assert!(waits.await.unwrap_err().is_cancelled());
        request.abort();
        let next = DESK.work(|_requester| Ok("next")).await;
        assert_eq!(next.unwrap(), "next");
    }

    #[tokio::test]
    async fn place_is_kept_until_the_work_ends() {
        static DESK: Desk = Desk::new(1, 1);
        let (begun, begins) = oneshot::channel();
        let (end, ending) = mpsc::channel::<()>();
        let request = tokio::spawn(DESK.work(move |_deaf| {
            begun.send(()).unwrap();
            ending.recv().unwrap();
            Ok(())
        }));
        begins.await.unwrap();
        request.abort();
        assert!(request.await.unwrap_err().is_cancelled());
        assert_eq!(DESK.places.available_permits(), 0);
        end.send(()).unwrap();
        DESK.work(|_requester| Ok(())).await.unwrap();
    }
}
