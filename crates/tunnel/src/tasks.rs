//! Tasks that end with the tunnel.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Tasks that end at their next step once the tunnel stops, whatever they wait for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tracker.spawn(async move {
            stop.run_until_cancelled(task).await;
        });
    }

    /// For a task that ends by itself when the tunnel stops.
    pub(crate) fn spawn_ending(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tracker.spawn(task);
    }

    /// Stops all of them.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits for the last one.
    pub(crate) async fn ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}
