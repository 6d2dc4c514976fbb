//! What the controller counts and measures of itself.
//!
//! Figures under the names of OpenZiti's controllers are in a registry, which is told by inspections and events.
//! Others have names and labels as OpenTelemetry wants them, and are for Prometheus alone. Recording takes a few
//! additions of atomics; which labels there are is looked up under a lock that only new ones write.

mod commits;
mod jobs;
mod logins;
mod reports;
mod requests;
mod timing;

pub(crate) use commits::CommitOutcome;
pub(crate) use jobs::Job;
pub(crate) use logins::{LoginMethod, LoginOutcome};
pub use reports::RouterReports;
pub use requests::{Operation, RequestMetrics, known_method};
pub(crate) use timing::Timing;

use commits::Commits;
use jobs::Jobs;
use logins::Logins;
use parking_lot::RwLock;
use portcullis_domain::clock::Timestamp;
use portcullis_metrics::{
    BucketHistogram, Labels, Meter, MetricName, MetricRegistry, Page, Point, PointValue, Timer,
};
use std::sync::Arc;

/// Adds to a page what somebody else knows.
pub type FurtherFigures = Box<dyn Fn(&mut Page, Option<Timestamp>) + Send + Sync>;

/// All figures of the controller.
pub struct ControllerMetrics {
    registry: Arc<MetricRegistry>,
    requests: RequestMetrics,
    logins: Logins,
    commits: Commits,
    jobs: Jobs,
    pub(crate) session_created: Arc<Timer>,
    pub(crate) service_session_created: Arc<Timer>,
    pub(crate) services_listed: Arc<Timer>,
    pub(crate) password_hashes: PasswordHashes,
    reports: RouterReports,
    further: RwLock<Vec<FurtherFigures>>,
}

/// How long passwords take to be hashed, or checked.
#[derive(Clone)]
pub(crate) struct PasswordHashes {
    pub(crate) timer: Arc<Timer>,
    pub(crate) times: Arc<BucketHistogram>,
}

/// Bounds of times of work that takes milliseconds, in seconds.
const WORK_BOUNDS: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

impl ControllerMetrics {
    pub(crate) fn new() -> Self {
        let registry = Arc::new(MetricRegistry::default());
        let timer = |name| registry.timer(MetricName::plain(name));
        Self {
            requests: RequestMetrics::new(Arc::clone(&registry)),
            logins: Logins::default(),
            commits: Commits::new(&registry),
            jobs: Jobs::new(&registry),
            session_created: timer("api-session.create"),
            service_session_created: timer("session.create"),
            services_listed: timer("services.list"),
            password_hashes: PasswordHashes {
                timer: timer("auth.limiter.work_timer"),
                times: Arc::new(BucketHistogram::new(WORK_BOUNDS)),
            },
            reports: RouterReports::default(),
            further: RwLock::default(),
            registry,
        }
    }

    /// The figures under the names of OpenZiti's controllers.
    pub const fn registry(&self) -> &Arc<MetricRegistry> {
        &self.registry
    }

    /// Requests to the APIs.
    pub const fn requests(&self) -> &RequestMetrics {
        &self.requests
    }

    /// What routers have reported last.
    pub const fn reports(&self) -> &RouterReports {
        &self.reports
    }

    pub(crate) const fn logins(&self) -> &Logins {
        &self.logins
    }

    pub(crate) const fn commits(&self) -> &Commits {
        &self.commits
    }

    pub(crate) const fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Has pages show figures of somebody else, for the rest of the process. They have to be quick.
    pub fn add_further(&self, figures: FurtherFigures) {
        self.further.write().push(figures);
    }

    /// The same for one figure without labels, which is left out while it has no value.
    pub fn add_figure(
        &self,
        name: &'static str,
        help: &'static str,
        value: impl Fn() -> Option<PointValue> + Send + Sync + 'static,
    ) {
        self.add_further(Box::new(move |page, time| {
            if let Some(value) = value() {
                let labels = Labels::default();
                page.add(
                    name,
                    help,
                    &Point {
                        labels,
                        value,
                        time,
                    },
                );
            }
        }));
    }

    /// Adds all figures with labels of our own to a page.
    pub(crate) fn expose(&self, page: &mut Page, time: Option<Timestamp>) {
        self.requests.expose(page, time);
        self.logins.expose(page, time);
        self.commits.expose(page, time);
        let value = PointValue::Buckets(self.password_hashes.times.buckets());
        page.add(
            "portcullis.password.hash.duration",
            "Time to hash or check a password, without the time in the queue.",
            &Point {
                labels: Labels::default(),
                value,
                time,
            },
        );
        for figures in &*self.further.read() {
            figures(page, time);
        }
    }
}

/// A meter that is there from the start.
fn meter(registry: &MetricRegistry, name: &'static str) -> Arc<Meter> {
    registry.meter(MetricName::plain(name))
}

impl std::fmt::Debug for ControllerMetrics {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ControllerMetrics")
            .field("registry", &self.registry)
            .finish_non_exhaustive()
    }
}
