//! Periodic work, and what it removes.

use super::meter;
use super::timing::Timing;
use portcullis_metrics::{Meter, MetricName, MetricRegistry, Timer};
use std::sync::Arc;

/// Work that is done again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    /// Ends sessions that are no longer used.
    Sessions,
    /// Removes revocations that have expired.
    Revocations,
    /// Ends service sessions that no policy allows any more.
    ServiceSessions,
}

/// Figures of all jobs.
pub(crate) struct Jobs {
    sessions: JobFigures,
    revocations: JobFigures,
    service_sessions: JobFigures,
}

struct JobFigures {
    runs: Arc<Timer>,
    removed: Arc<Meter>,
}

impl Jobs {
    pub(super) fn new(registry: &MetricRegistry) -> Self {
        let figures = |runs, removed| JobFigures {
            runs: registry.timer(MetricName::plain(runs)),
            removed: meter(registry, removed),
        };
        Self {
            sessions: figures("api.session.enforcer.run", "api.session.enforcer.delete"),
            revocations: figures("revocation.enforcer.run", "revocation.enforcer.delete"),
            service_sessions: figures(
                "service.policy.enforcer.run",
                "service.policy.enforcer.run.deletes",
            ),
        }
    }

    /// Measures a run, which lasts until the result is dropped.
    pub(crate) fn run(&self, job: Job) -> Timing {
        Timing::start(&self.of(job).runs)
    }

    /// Counts what a run has removed.
    pub(crate) fn count_removed(&self, job: Job, removed: usize) {
        let removed = u64::try_from(removed).unwrap_or(u64::MAX);
        self.of(job).removed.mark(removed);
    }

    const fn of(&self, job: Job) -> &JobFigures {
        match job {
            Job::Sessions => &self.sessions,
            Job::Revocations => &self.revocations,
            Job::ServiceSessions => &self.service_sessions,
        }
    }
}
