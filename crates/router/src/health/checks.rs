//! The two checks of a router.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_router_config::model;

use crate::health::check::{Check, CheckState, FailureReason, Schedule};
use crate::health::document::LinkDetail;
use crate::section_reader::{IncompleteConfigError, SectionReader};

/// Timeout of counting the links; there is no key for it.
const COUNT_TIMEOUT: Duration = Duration::from_secs(5);

/// Options in the section `healthChecks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthOptions {
    /// Schedule of controller pings.
    pub ping: Schedule,
    /// Schedule of link counts.
    pub count: Schedule,
    /// Number of links below which their check fails; 0 only reports them.
    pub min_links: u64,
}

/// Result of pinging the controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerStatus {
    /// None is connected.
    None,
    /// Some are connected, but all are slow to answer (`ctrl.heartbeats.unresponsiveAfter`).
    Slow,
    /// At least one is connected and answers.
    Answering,
}

/// A started ping, to be passed to [`HealthChecks::finish_ping`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a run that is not handed back fails when its time is over"]
pub struct PingRun(u64);

/// A started link count, to be passed to [`HealthChecks::finish_count`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a run that is not handed back fails when its time is over"]
pub struct CountRun(u64);

/// A check that is due.
#[derive(Debug, PartialEq, Eq)]
pub enum DueCheck {
    /// The controllers.
    Ping(PingRun),
    /// The links.
    CountLinks(CountRun),
}

/// Health checks of a router.
///
/// A check runs after its initial delay and then at each interval. The controller ping fails until
/// it has run. The link check passes until it has run, but only if `minLinks` is 0. Each check has
/// one run at a time; one that times out has failed.
#[derive(Debug)]
pub struct HealthChecks {
    ping: Check<()>,
    count: Check<Vec<LinkDetail>>,
    min_links: u64,
}

impl HealthOptions {
    /// Reads the options from a router's configuration.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing, negative, or a zero interval.
    pub fn from_config(config: &model::HealthChecks) -> Result<Self, IncompleteConfigError> {
        let (ping, link) = (&config.ctrl_ping_check, &config.link_check);
        let reader = SectionReader::new("healthChecks.ctrlPingCheck");
        let ping = Schedule::new(
            reader.duration("initialDelay", ping.initial_delay.as_ref())?,
            reader.duration("interval", ping.interval.as_ref())?,
            reader.duration("timeout", ping.timeout.as_ref())?,
        )
        .ok_or_else(|| reader.missing("interval"))?;
        let reader = SectionReader::new("healthChecks.linkCheck");
        let count = Schedule::new(
            reader.duration("initialDelay", link.initial_delay.as_ref())?,
            reader.duration("interval", link.interval.as_ref())?,
            COUNT_TIMEOUT,
        )
        .ok_or_else(|| reader.missing("interval"))?;
        Ok(Self {
            ping,
            count,
            min_links: reader.number("minLinks", link.min_links.as_ref())?,
        })
    }
}

impl ControllerStatus {
    /// Summarizes the connected controllers by whether each answers in time.
    pub fn from_answering(answering: impl IntoIterator<Item = bool>) -> Self {
        let sum = |sum, answers| match (sum, answers) {
            (Self::Answering, _) | (_, true) => Self::Answering,
            (Self::None | Self::Slow, false) => Self::Slow,
        };
        answering.into_iter().fold(Self::None, sum)
    }
}

impl HealthChecks {
    pub fn new(settings: HealthOptions, now: Timestamp) -> Self {
        let counts_links = settings.min_links > 0;
        Self {
            ping: Check::new(settings.ping, Some(FailureReason::NotRun), now),
            count: Check::new(
                settings.count,
                counts_links.then_some(FailureReason::NotRun),
                now,
            ),
            min_links: settings.min_links,
        }
    }

    /// When to call [`poll`](Self::poll), unless something else happens before.
    pub fn deadline(&self) -> Timestamp {
        self.ping.deadline().min(self.count.deadline())
    }

    /// Times out overdue runs, and starts due ones.
    pub fn poll(&mut self, now: Timestamp) -> Vec<DueCheck> {
        let ping = self.ping.poll(now).map(|run| DueCheck::Ping(PingRun(run)));
        let count = self.count.poll(now);
        let count = count.map(|run| DueCheck::CountLinks(CountRun(run)));
        ping.into_iter().chain(count).collect()
    }

    /// Records the result of a ping.
    pub fn finish_ping(&mut self, PingRun(run): PingRun, seen: ControllerStatus, now: Timestamp) {
        let reason = match seen {
            ControllerStatus::None => Some(FailureReason::NoController),
            ControllerStatus::Slow => Some(FailureReason::SlowControllers),
            ControllerStatus::Answering => None,
        };
        self.ping.finish(run, (), reason, now);
    }

    /// Records the links that were counted.
    pub fn finish_count(
        &mut self,
        CountRun(run): CountRun,
        links: Vec<LinkDetail>,
        now: Timestamp,
    ) {
        let number = u64::try_from(links.len()).unwrap_or(u64::MAX);
        let reason = (number < self.min_links).then_some(FailureReason::TooFewLinks {
            links: number,
            needed: self.min_links,
        });
        self.count.finish(run, links, reason, now);
    }

    /// The result of the controller check.
    pub fn controllers(&self) -> &CheckState<()> {
        self.ping.outcome()
    }

    /// The result of the link check.
    pub fn links(&self) -> &CheckState<Vec<LinkDetail>> {
        self.count.outcome()
    }

    /// Whether both checks pass.
    pub fn is_healthy(&self) -> bool {
        self.controllers().is_healthy() && self.links().is_healthy()
    }
}
