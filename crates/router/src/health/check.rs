//! Scheduling and state of one check.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;

use crate::time::{after, in_go, since};

/// Schedule of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    initial_delay: Duration,
    interval: Duration,
    timeout: Duration,
}

/// The reason why a check fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailureReason {
    /// The first run has not finished yet.
    #[error("the check has not run yet")]
    NotRun,
    /// A run timed out.
    #[error("the check got no answer within {}", in_go(*.0))]
    TimedOut(Duration),
    /// No controller is connected.
    #[error("no controller is connected")]
    NoController,
    /// No connected controller answers in time.
    #[error("the connected controllers are slow to answer")]
    SlowControllers,
    /// There are fewer links than `minLinks`.
    #[error("there are {links} links; at least {needed} are required")]
    TooFewLinks {
        /// Number of links.
        links: u64,
        /// Required number of links.
        needed: u64,
    },
}

/// Failure of a check since a point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// Reason of the last failure.
    pub reason: FailureReason,
    /// Time of the first of these consecutive failures.
    pub since: Timestamp,
    /// Number of consecutive failures; counting as failed before the first run is one.
    pub count: u64,
}

/// Result of the last run of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckState<D> {
    details: Option<D>,
    at: Timestamp,
    duration: Duration,
    failure: Option<CheckFailure>,
}

/// A check with its schedule.
#[derive(Debug)]
pub(super) struct Check<D> {
    schedule: Schedule,
    due: Timestamp,
    running: Option<Running>,
    runs: u64,
    outcome: CheckState<D>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    number: u64,
    since: Timestamp,
}

impl Schedule {
    /// Schedules a first run after `initial_delay`, one each `interval` from then on, and for each
    /// run at most `timeout`. A timeout of zero counts as one interval, because a check that times
    /// out at once is useless.
    ///
    /// `None` if the interval is zero.
    pub fn new(initial_delay: Duration, interval: Duration, timeout: Duration) -> Option<Self> {
        let timeout = if timeout.is_zero() { interval } else { timeout };
        let schedule = Self {
            initial_delay,
            interval,
            timeout,
        };
        (!interval.is_zero()).then_some(schedule)
    }
}

impl<D> CheckState<D> {
    /// Details of the last run; `None` before the first run has ended.
    pub fn details(&self) -> Option<&D> {
        self.details.as_ref()
    }

    /// Start of the last run; before the first one, the creation of the check.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Duration of the last run.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The failure; `None` while the check passes.
    pub fn failure(&self) -> Option<&CheckFailure> {
        self.failure.as_ref()
    }

    pub fn is_healthy(&self) -> bool {
        self.failure.is_none()
    }

    fn record(&mut self, details: D, at: Timestamp, took: Duration, reason: Option<FailureReason>) {
        let before = self.failure.take();
        self.failure = reason.map(|reason| CheckFailure {
            reason,
            since: before.as_ref().map_or(at, |failing| failing.since),
            count: before.map_or(1, |failing| failing.count.saturating_add(1)),
        });
        self.details = Some(details);
        self.at = at;
        self.duration = took;
    }
}

impl<D: Default> Check<D> {
    /// Creates a check. Until its first run it passes, or fails for the given reason.
    pub(super) fn new(
        schedule: Schedule,
        initially: Option<FailureReason>,
        now: Timestamp,
    ) -> Self {
        let failing = initially.map(|reason| CheckFailure {
            reason,
            since: now,
            count: 1,
        });
        Self {
            schedule,
            due: after(now, schedule.initial_delay),
            running: None,
            runs: 0,
            outcome: CheckState {
                details: None,
                at: now,
                duration: Duration::ZERO,
                failure: failing,
            },
        }
    }

    pub(super) fn outcome(&self) -> &CheckState<D> {
        &self.outcome
    }

    /// Time of the next action: starting a run, or timing one out.
    pub(super) fn deadline(&self) -> Timestamp {
        self.running
            .map_or(self.due, |running| self.timeout_at(running))
    }

    /// Starts a run if one is due and returns its number.
    pub(super) fn poll(&mut self, now: Timestamp) -> Option<u64> {
        self.expire(now);
        if self.running.is_some() || now < self.due {
            return None;
        }
        // Missed runs are not made up for; the next one keeps to the interval.
        let interval = self.schedule.interval.as_nanos();
        let beyond = since(self.due, now).as_nanos() % interval;
        let rest = u64::try_from(interval - beyond).unwrap_or(u64::MAX);
        self.due = after(now, Duration::from_nanos(rest));
        self.runs += 1;
        self.running = Some(Running {
            number: self.runs,
            since: now,
        });
        Some(self.runs)
    }

    /// Records the result of a run. It is ignored if the run has timed out.
    pub(super) fn finish(
        &mut self,
        number: u64,
        details: D,
        reason: Option<FailureReason>,
        now: Timestamp,
    ) {
        self.expire(now);
        if let Some(running) = self.running.take_if(|running| running.number == number) {
            let took = since(running.since, now);
            self.outcome.record(details, running.since, took, reason);
        }
    }

    fn expire(&mut self, now: Timestamp) {
        let Some(running) = self.running else { return };
        if now < self.timeout_at(running) {
            return;
        }
        self.running = None;
        let timeout = self.schedule.timeout;
        let reason = FailureReason::TimedOut(timeout);
        self.outcome
            .record(D::default(), running.since, timeout, Some(reason));
    }

    fn timeout_at(&self, running: Running) -> Timestamp {
        after(running.since, self.schedule.timeout)
    }
}
