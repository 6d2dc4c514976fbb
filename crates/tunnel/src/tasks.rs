//! Tasks that end with the tunnel.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Tasks that end at their next step once the tunnel stops, whatever they wait for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    interception: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tracker.spawn(async move {
            stop.run_until_cancelled(task).await;
        });
    }

    /// For the task that has connections intercepted: it ends by itself when the tunnel stops, once the kernel does so
    /// no more.
    pub(crate) fn spawn_interception(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.interception.spawn(task);
    }

    /// Stops all of them.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits for the last one, but for that of the interception.
    pub(crate) async fn ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Waits until nothing is intercepted any more.
    pub(crate) async fn interception_ended(&self) {
        self.interception.close();
        self.interception.wait().await;
    }
}
