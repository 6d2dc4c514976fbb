//! Transactions of the store.

use super::WORK_BOUNDS;
use portcullis_domain::clock::Timestamp;
use portcullis_metrics::{
    BucketHistogram, Figure, Gauge, LabelSet, Labelled, Labels, MetricName, MetricRegistry, Page,
    Timer,
};
use std::sync::Arc;
use std::time::Instant;

const FIGURE: Figure = Figure {
    name: "db.client.operation.duration",
    help: "Time until a transaction is durable and visible, with the time in the queue.",
};

/// How a transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommitOutcome {
    /// It is durable.
    Done,
    /// A use case has decided that nothing is to be changed.
    Aborted,
    /// The store could not write it.
    Failed,
}

/// Figures of transactions.
pub(crate) struct Commits {
    open: Arc<Gauge>,
    timer: Arc<Timer>,
    times: Labelled<CommitOutcome, BucketHistogram>,
}

/// A transaction that has not ended yet. Nobody waits for it any more when it is dropped.
pub(crate) struct OpenCommit<'c> {
    commits: &'c Commits,
    begun: Instant,
}

impl Commits {
    pub(super) fn new(registry: &MetricRegistry) -> Self {
        Self {
            open: registry.gauge(MetricName::plain("raft.rate_limiter.queue_size")),
            timer: registry.timer(MetricName::plain("raft.rate_limiter.work_timer")),
            times: Labelled::new(FIGURE, || BucketHistogram::new(WORK_BOUNDS)),
        }
    }

    pub(crate) fn begin(&self) -> OpenCommit<'_> {
        self.open.add(1);
        OpenCommit {
            commits: self,
            begun: Instant::now(),
        }
    }

    /// Number of transactions that are waited for.
    pub(crate) fn open(&self) -> i64 {
        self.open.value()
    }

    pub(super) fn expose(&self, page: &mut Page, time: Option<Timestamp>) {
        self.times.expose(page, time);
    }
}

impl OpenCommit<'_> {
    pub(crate) fn end(self, outcome: CommitOutcome) {
        let time = self.begun.elapsed();
        self.commits.timer.record(time);
        self.commits.times.of(&outcome).record_time(time);
    }
}

impl Drop for OpenCommit<'_> {
    fn drop(&mut self) {
        self.commits.open.add(-1);
    }
}

impl LabelSet for CommitOutcome {
    fn labels(&self) -> Labels {
        let error = match self {
            Self::Done => "",
            Self::Aborted => "aborted",
            Self::Failed => "failed",
        };
        Labels::default()
            .with("db.system.name", "redb")
            .with("db.operation.name", "commit")
            .with("error.type", error)
    }
}
