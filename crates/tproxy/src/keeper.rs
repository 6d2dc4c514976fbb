//! A thread that keeps something set up in the kernel.

use crate::capability;
use crate::error::InterceptError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{io, thread};
use tokio::sync::oneshot;

/// Something that is set up in the kernel, and that other programs can take away.
pub(crate) trait Kept: Send + 'static {
    /// Sets up again what is gone.
    fn check(&mut self);

    /// Removes everything.
    fn remove(&mut self);
}

/// Has a thread of its own for something that is kept: the programs that change it block, and are to have rights
/// that no other thread passes on. It is removed when the last clone is dropped.
#[derive(Debug)]
pub(crate) struct Keeper<K> {
    // Does not grow: each job has a caller that waits.
    jobs: Sender<Job<K>>,
}

enum Job<K> {
    Do(Box<dyn FnOnce(&mut K) + Send>),
    Stop(oneshot::Sender<()>),
}

impl<K: Kept> Keeper<K> {
    /// Sets something up, and checks it as often as that.
    pub(crate) async fn start(
        name: &'static str,
        check_interval: Duration,
        set_up: impl FnOnce() -> Result<K, InterceptError> + Send + 'static,
    ) -> Result<Self, InterceptError> {
        let (jobs, waiting) = channel();
        let (told, result) = oneshot::channel();
        let work = move || {
            if let Err(error) = capability::pass_on() {
                tracing::debug!(%error, "capabilities are not passed on to programs");
            }
            match set_up() {
                Ok(mut kept) => {
                    // If nobody waits any more, the jobs are closed as well.
                    let _ = told.send(Ok(()));
                    work_off(&mut kept, &waiting, check_interval);
                },
                Err(error) => {
                    let _ = told.send(Err(error));
                },
            }
        };
        let started = thread::Builder::new().name(name.to_owned()).spawn(work);
        started.map_err(|reason| socket_error("start a thread", reason))?;
        result.await.map_err(|_ended| InterceptError::Stopped)??;
        Ok(Self { jobs })
    }

    /// Does something in the thread.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut K) -> T + Send + 'static,
    ) -> Result<T, InterceptError> {
        let (told, result) = oneshot::channel();
        let job = move |kept: &mut K| {
            // Whoever does not wait any more does not need the result.
            let _ = told.send(job(kept));
        };
        let sent = self.jobs.send(Job::Do(Box::new(job)));
        sent.map_err(|_ended| InterceptError::Stopped)?;
        result.await.map_err(|_ended| InterceptError::Stopped)
    }

    /// Removes everything. Returns when it is gone.
    pub(crate) async fn stop(&self) {
        let (told, removed) = oneshot::channel();
        if self.jobs.send(Job::Stop(told)).is_ok() {
            // An error says that another clone has been faster.
            let _ = removed.await;
        }
    }
}

impl<K> Clone for Keeper<K> {
    fn clone(&self) -> Self {
        Self {
            jobs: self.jobs.clone(),
        }
    }
}

fn work_off<K: Kept>(kept: &mut K, jobs: &Receiver<Job<K>>, check_interval: Duration) {
    let mut last_check = Instant::now();
    loop {
        let pause = check_interval.saturating_sub(last_check.elapsed());
        match jobs.recv_timeout(pause) {
            Ok(Job::Do(job)) => job(kept),
            Ok(Job::Stop(told)) => {
                kept.remove();
                // Whoever does not wait any more does not need to know.
                let _ = told.send(());
                return;
            },
            Err(RecvTimeoutError::Timeout) => {
                kept.check();
                last_check = Instant::now();
            },
            Err(RecvTimeoutError::Disconnected) => {
                kept.remove();
                return;
            },
        }
    }
}

pub(crate) fn socket_error(what: &'static str, reason: io::Error) -> InterceptError {
    InterceptError::Socket { what, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default, Clone)]
    struct Counts {
        checks: Arc<AtomicUsize>,
        removals: Arc<AtomicUsize>,
    }

    impl Kept for Counts {
        fn check(&mut self) {
            self.checks.fetch_add(1, Ordering::SeqCst);
        }

        fn remove(&mut self) {
            self.removals.fetch_add(1, Ordering::SeqCst);
        }
    }

    const HOUR: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn what_is_kept_is_removed_once() {
        let counts = Counts::default();
        let kept = counts.clone();
        let keeper = Keeper::start("test", HOUR, || Ok(kept))
            .await
            .expect("starts");
        assert_eq!(keeper.run(|_| 7).await.expect("runs"), 7);
        keeper.stop().await;
        keeper.stop().await;
        assert_eq!(counts.removals.load(Ordering::SeqCst), 1);
        let late = keeper.run(|_| ()).await;
        assert!(matches!(late, Err(InterceptError::Stopped)), "{late:?}");
    }

    #[tokio::test]
    async fn what_is_kept_is_checked_although_jobs_come() {
        let counts = Counts::default();
        let kept = counts.clone();
        let often = Duration::from_millis(1);
        let keeper = Keeper::start("test", often, || Ok(kept))
            .await
            .expect("starts");
        while counts.checks.load(Ordering::SeqCst) < 3 {
            keeper.run(|_| ()).await.expect("runs");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_set_up_is_not_kept() {
        let failed = Keeper::<Counts>::start("test", HOUR, || Err(InterceptError::NoRights)).await;
        assert!(matches!(failed, Err(InterceptError::NoRights)));
    }
}
