//! The routers that a program uses, and the channels to them.

mod entry;
mod race;

pub(crate) use race::RaceError;

use crate::channel::{RouterChannel, Stop};
use crate::connector::{ConnectError, Connector};
use crate::randomness::Randomness;
use entry::Entry;
use parking_lot::Mutex;
use portcullis_edge_session::EdgeRouter;
use portcullis_sdk_proto::fastest_first;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What came of connecting to a router. Whoever waits is told the same.
pub(crate) type Outcome = Result<RouterChannel, Arc<ConnectError>>;

/// The routers that a program uses, and at most one channel to each of them, which stays open when it is not
/// used.
#[derive(Debug)]
pub(crate) struct Routers {
    connector: Arc<Connector>,
    randomness: Randomness,
    /// By their names.
    entries: Mutex<HashMap<String, Arc<Entry>>>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Routers {
    pub(crate) fn new(connector: Connector, randomness: Randomness) -> Self {
        Self {
            connector: Arc::new(connector),
            randomness,
            entries: Mutex::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }
    }

    /// The channel to a router, which is connected to if there is none. Routers that were not reached are given
    /// a pause.
    pub(crate) fn channel(
        &self,
        router: &EdgeRouter,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        let entry = self.entry(router);
        let (pending, task) = entry.connect(&self.connector, router, &self.randomness);
        // What comes after the end is not connected: whoever waits is told so.
        if let Some(task) = task
            && !self.stop.is_cancelled()
        {
            let stop = self.stop.clone();
            self.tasks.spawn(async move {
                stop.run_until_cancelled(task).await;
            });
        }
        pending.outcome()
    }

    /// Routers in the order in which to use them: those that are connected first, the fastest of them before
    /// all others; those that were not reached, or do not answer, last. Those that are away have no address, and are left out.
    pub(crate) fn ranked(&self, routers: &[EdgeRouter]) -> Vec<EdgeRouter> {
        let present = routers.iter().filter(|router| router.tls().is_some());
        let mut ranked: Vec<_> = present.map(|router| (self.rank(router), router)).collect();
        fastest_first(&mut ranked, |((latency, _), _)| *latency);
        ranked.sort_by_key(|((_, pause), _)| *pause);
        ranked
            .into_iter()
            .map(|(_, router)| router.clone())
            .collect()
    }

    /// The latency of an open channel, and how long a router is not to be tried.
    fn rank(&self, router: &EdgeRouter) -> (Option<Duration>, Duration) {
        let entries = self.entries.lock();
        let entry = entries.get(&router.name);
        entry.map_or((None, Duration::ZERO), |entry| entry.rank())
    }

    fn entry(&self, router: &EdgeRouter) -> Arc<Entry> {
        let mut entries = self.entries.lock();
        let entry = entries.entry(router.name.clone()).or_default();
        Arc::clone(entry)
    }

    /// Nothing is connected to any more, and all channels are told to end: also those that have been replaced,
    /// and those that were about to be opened.
    fn stop_channels(&self, stop: Stop) {
        self.connector.stop.send_replace(stop);
        self.stop.cancel();
    }

    /// Ends all channels, once what was written is delivered, but for `grace` at most.
    pub(crate) async fn shut_down(&self, grace: Duration) {
        self.stop_channels(Stop::By(Instant::now() + grace));
        for tasks in [&self.tasks, self.connector.transport.tasks()] {
            tasks.close();
            tasks.wait().await;
        }
    }
}

/// Channels that are still used go on until they are not.
impl Drop for Routers {
    fn drop(&mut self) {
        if !self.stop.is_cancelled() {
            self.stop_channels(Stop::WhenIdle);
        }
    }
}
