//! What a router asks for and what takes a while, such as commits.

use std::pin::Pin;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// Requests of one router that wait, at most. Routers ask again for what was not answered.
const CAPACITY: usize = 1024;

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Requests of one router, which are done one after the other: what removes something must not overtake
/// what creates it.
#[derive(Debug, Clone)]
pub(crate) struct WorkQueue(mpsc::Sender<Work>);

/// The queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BusyError;

impl WorkQueue {
    /// Starts the task of a queue. It ends when the queue is dropped, after what was begun.
    pub(crate) fn start(tasks: &TaskTracker) -> Self {
        let (sender, mut works) = mpsc::channel::<Work>(CAPACITY);
        tasks.spawn(async move {
            while let Some(work) = works.recv().await {
                work.await;
            }
        });
        Self(sender)
    }

    pub(crate) fn add(
        &self,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), BusyError> {
        self.0
            .try_send(Box::pin(work))
            .map_err(|_unqueued| BusyError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Notify;

    #[tokio::test]
    async fn work_is_done_in_order_and_refused_beyond_the_limit() {
        let tasks = TaskTracker::new();
        let queue = WorkQueue::start(&tasks);
        let gate = Arc::new(Notify::new());
        let opened = Arc::clone(&gate);
        queue.add(async move { opened.notified().await }).unwrap();
        tokio::task::yield_now().await;
        let (sender, mut done) = mpsc::unbounded_channel();
        for number in 0..CAPACITY {
            let sender = sender.clone();
            queue
                .add(async move { sender.send(number).unwrap() })
                .unwrap();
        }
        assert_eq!(queue.add(async {}), Err(BusyError));
        gate.notify_one();
        for number in 0..CAPACITY {
            assert_eq!(done.recv().await, Some(number));
        }
        drop(queue);
        tasks.close();
        tasks.wait().await;
    }
}
