//! One check: when it runs, and what came of it.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_yaml::syntax::GoDuration;

use crate::time::{after, since};

/// When a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    initial_delay: Duration,
    interval: Duration,
    timeout: Duration,
}

/// Why a check fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The first run is still to come.
    #[error("the check has not run yet")]
    NotRun,
    /// A run did not come to an end in time.
    #[error("the check got no answer within {}", in_go(*.0))]
    NoAnswer(Duration),
    /// There is no connection to a controller.
    #[error("no controller is connected")]
    NoController,
    /// No connected controller answers in time.
    #[error("the connected controllers are slow to answer")]
    SlowControllers,
    /// There are fewer links than `minLinks`.
    #[error("there are {links} links where at least {needed} are wanted")]
    TooFewLinks {
        /// How many there are.
        links: u64,
        /// How many are wanted.
        needed: u64,
    },
}

/// That a check fails, and for how long it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// Why the last run failed.
    pub reason: Reason,
    /// When the first of these failures was found.
    pub since: Timestamp,
    /// How many failures there were in a row; what counts as failed before the first run is one.
    pub times: u64,
}

/// What is known from the last run of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<D> {
    details: Option<D>,
    at: Timestamp,
    took: Duration,
    failing: Option<Failing>,
}

/// A check with its schedule.
#[derive(Debug)]
pub(super) struct Check<D> {
    schedule: Schedule,
    due: Timestamp,
    running: Option<Running>,
    runs: u64,
    outcome: Outcome<D>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    number: u64,
    since: Timestamp,
}

impl Schedule {
    /// Plans a first run after `initial_delay`, one each `interval` from then on, and for each run at most
    /// `timeout`. A timeout of zero counts as one interval, for a check that gives up at once says nothing.
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

impl<D> Outcome<D> {
    /// What the check found; `None` before its first run has ended.
    pub fn details(&self) -> Option<&D> {
        self.details.as_ref()
    }

    /// When the last run began; before the first one, when the check was set up.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// How long the last run took.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// That the check fails; `None` while it passes.
    pub fn failing(&self) -> Option<&Failing> {
        self.failing.as_ref()
    }

    /// Tells whether the check passes.
    pub fn is_healthy(&self) -> bool {
        self.failing.is_none()
    }

    fn follow(&mut self, details: D, at: Timestamp, took: Duration, reason: Option<Reason>) {
        let before = self.failing.take();
        self.failing = reason.map(|reason| Failing {
            reason,
            since: before.as_ref().map_or(at, |failing| failing.since),
            times: before.map_or(1, |failing| failing.times.saturating_add(1)),
        });
        self.details = Some(details);
        self.at = at;
        self.took = took;
    }
}

impl<D: Default> Check<D> {
    /// Sets a check up. Until its first run it passes, or fails for the given reason.
    pub(super) fn new(schedule: Schedule, initially: Option<Reason>, now: Timestamp) -> Self {
        let failing = initially.map(|reason| Failing {
            reason,
            since: now,
            times: 1,
        });
        Self {
            schedule,
            due: after(now, schedule.initial_delay),
            running: None,
            runs: 0,
            outcome: Outcome {
                details: None,
                at: now,
                took: Duration::ZERO,
                failing,
            },
        }
    }

    pub(super) fn outcome(&self) -> &Outcome<D> {
        &self.outcome
    }

    /// When there is something to do: a run to begin, or one to give up.
    pub(super) fn deadline(&self) -> Timestamp {
        self.running
            .map_or(self.due, |running| self.given_up_at(running))
    }

    /// Begins a run if one is due and gives its number.
    pub(super) fn poll(&mut self, now: Timestamp) -> Option<u64> {
        self.give_up(now);
        if self.running.is_some() || now < self.due {
            return None;
        }
        // Runs that were missed are not made up for; the next one keeps to the rhythm.
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

    /// Takes in what a run found. It counts for nothing if the run was given up before.
    pub(super) fn finish(
        &mut self,
        number: u64,
        details: D,
        reason: Option<Reason>,
        now: Timestamp,
    ) {
        self.give_up(now);
        if let Some(running) = self.running.take_if(|running| running.number == number) {
            let took = since(running.since, now);
            self.outcome.follow(details, running.since, took, reason);
        }
    }

    fn give_up(&mut self, now: Timestamp) {
        let Some(running) = self.running else { return };
        if now < self.given_up_at(running) {
            return;
        }
        self.running = None;
        let timeout = self.schedule.timeout;
        let reason = Reason::NoAnswer(timeout);
        self.outcome
            .follow(D::default(), running.since, timeout, Some(reason));
    }

    fn given_up_at(&self, running: Running) -> Timestamp {
        after(running.since, self.schedule.timeout)
    }
}

/// A duration in Go's notation, as clients of this API know it.
pub(super) fn in_go(duration: Duration) -> GoDuration {
    GoDuration::from_nanoseconds(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
}
