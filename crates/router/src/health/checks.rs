//! The two checks of a router.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_router_config::model;

use crate::health::check::{Check, Outcome, Reason, Schedule};
use crate::health::document::LinkDetail;
use crate::incomplete::{Incomplete, Reader};

/// How long counting the links may take; there is no key for it.
const COUNT_TIMEOUT: Duration = Duration::from_secs(5);

/// What the section `healthChecks` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// When controllers are pinged.
    pub ping: Schedule,
    /// When links are counted.
    pub count: Schedule,
    /// Number of links below which their check fails; at 0 it only reports them.
    pub min_links: u64,
}

/// What a ping of the controllers has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controllers {
    /// None is connected.
    None,
    /// Some are connected, and all of them are slow to answer (`ctrl.heartbeats.unresponsiveAfter`).
    Slow,
    /// At least one is connected and answers.
    Answering,
}

/// A ping that has begun; handed back to [`HealthChecks::pinged`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a run that is not handed back fails when its time is over"]
pub struct PingRun(u64);

/// A count of the links that has begun; handed back to [`HealthChecks::counted`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a run that is not handed back fails when its time is over"]
pub struct CountRun(u64);

/// What is to be looked at now.
#[derive(Debug, PartialEq, Eq)]
pub enum Work {
    /// The controllers.
    Ping(PingRun),
    /// The links.
    CountLinks(CountRun),
}

/// The health of a router.
///
/// A check runs at its initial delay and then each interval. The ping of the controllers fails until it
/// has run. The check of the links passes until it has run, but only if `minLinks` is 0. Each check has
/// one run at a time; one that is not over in time has failed.
#[derive(Debug)]
pub struct HealthChecks {
    ping: Check<()>,
    count: Check<Vec<LinkDetail>>,
    min_links: u64,
}

impl Settings {
    /// Takes the settings from a router's file.
    ///
    /// # Errors
    ///
    /// [`Incomplete`] if a value is missing, negative, or zero where it is an interval.
    pub fn from_config(config: &model::HealthChecks) -> Result<Self, Incomplete> {
        let (ping, link) = (&config.ctrl_ping_check, &config.link_check);
        let reader = Reader::new("healthChecks.ctrlPingCheck");
        let ping = Schedule::new(
            reader.duration("initialDelay", ping.initial_delay.as_ref())?,
            reader.duration("interval", ping.interval.as_ref())?,
            reader.duration("timeout", ping.timeout.as_ref())?,
        )
        .ok_or_else(|| reader.incomplete("interval"))?;
        let reader = Reader::new("healthChecks.linkCheck");
        let count = Schedule::new(
            reader.duration("initialDelay", link.initial_delay.as_ref())?,
            reader.duration("interval", link.interval.as_ref())?,
            COUNT_TIMEOUT,
        )
        .ok_or_else(|| reader.incomplete("interval"))?;
        Ok(Self {
            ping,
            count,
            min_links: reader.number("minLinks", link.min_links.as_ref())?,
        })
    }
}

impl Controllers {
    /// Sums the connected controllers up, each of which answers in time or does not.
    pub fn seen(answering: impl IntoIterator<Item = bool>) -> Self {
        let sum = |sum, answers| match (sum, answers) {
            (Self::Answering, _) | (_, true) => Self::Answering,
            (Self::None | Self::Slow, false) => Self::Slow,
        };
        answering.into_iter().fold(Self::None, sum)
    }
}

impl HealthChecks {
    /// Sets the checks up.
    pub fn new(settings: Settings, now: Timestamp) -> Self {
        let counts_links = settings.min_links > 0;
        Self {
            ping: Check::new(settings.ping, Some(Reason::NotRun), now),
            count: Check::new(settings.count, counts_links.then_some(Reason::NotRun), now),
            min_links: settings.min_links,
        }
    }

    /// When [`poll`](Self::poll) has to be called, if nothing else happens before.
    pub fn deadline(&self) -> Timestamp {
        self.ping.deadline().min(self.count.deadline())
    }

    /// Gives up what takes too long, and begins what is due.
    pub fn poll(&mut self, now: Timestamp) -> Vec<Work> {
        let ping = self.ping.poll(now).map(|run| Work::Ping(PingRun(run)));
        let count = self.count.poll(now);
        let count = count.map(|run| Work::CountLinks(CountRun(run)));
        ping.into_iter().chain(count).collect()
    }

    /// Takes in what a ping has shown.
    pub fn pinged(&mut self, PingRun(run): PingRun, seen: Controllers, now: Timestamp) {
        let reason = match seen {
            Controllers::None => Some(Reason::NoController),
            Controllers::Slow => Some(Reason::SlowControllers),
            Controllers::Answering => None,
        };
        self.ping.finish(run, (), reason, now);
    }

    /// Takes in which links there are.
    pub fn counted(&mut self, CountRun(run): CountRun, links: Vec<LinkDetail>, now: Timestamp) {
        let number = u64::try_from(links.len()).unwrap_or(u64::MAX);
        let reason = (number < self.min_links).then_some(Reason::TooFewLinks {
            links: number,
            needed: self.min_links,
        });
        self.count.finish(run, links, reason, now);
    }

    /// Shows the check of the controllers.
    pub fn controllers(&self) -> &Outcome<()> {
        self.ping.outcome()
    }

    /// Shows the check of the links.
    pub fn links(&self) -> &Outcome<Vec<LinkDetail>> {
        self.count.outcome()
    }

    /// Tells whether both checks pass.
    pub fn is_healthy(&self) -> bool {
        self.controllers().is_healthy() && self.links().is_healthy()
    }
}
