//! Which identities are connected: a bound on their channels, and reports to controllers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::connect_event::{ConnectEvent, ConnectEvents, ConnectTime};

use portcullis_router_config::model::ConnectEvents as Section;

use super::admission::Denial;
use super::limits::EdgeLimits;
use super::names::{ChannelId, IdentityId};
use crate::section_reader::{IncompleteConfigError, SectionReader};
use crate::time::after;

/// Most connections of one identity that one report tells.
const MAX_TOLD: usize = 16;

/// How often controllers are told who is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresenceReports {
    /// Pause between two reports.
    pub interval: Duration,
    /// Pause between two reports of everything.
    pub full_interval: Duration,
}

impl Default for PresenceReports {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(3),
            full_interval: Duration::from_mins(5),
        }
    }
}

impl PresenceReports {
    /// Reads the section `connectEvents`; `None` if it turns reports off.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(section: &Section) -> Result<Option<Self>, IncompleteConfigError> {
        let reader = SectionReader::new("connectEvents");
        if !*reader.value("enabled", section.enabled.as_ref())? {
            return Ok(None);
        }
        Ok(Some(Self {
            interval: reader.duration("batchInterval", section.batch_interval.as_ref())?,
            full_interval: reader
                .duration("fullSyncInterval", section.full_sync_interval.as_ref())?,
        }))
    }
}

/// The connected SDKs of a router.
#[derive(Debug)]
pub struct Presence {
    limits: EdgeLimits,
    /// `None` if controllers are told nothing.
    reports: Option<PresenceReports>,
    channels: BTreeMap<ChannelId, IdentityId>,
    identities: BTreeMap<IdentityId, BTreeMap<ChannelId, ConnectTime>>,
    /// Channels that were opened since the last report, by identities about which there is news.
    news: BTreeMap<IdentityId, BTreeSet<ChannelId>>,
    next_report: Timestamp,
    next_full: Timestamp,
    last_full: Option<Timestamp>,
}

/// The connections of an identity, for inspections.
#[derive(Debug)]
pub struct IdentityView<'a> {
    pub identity: &'a IdentityId,
    pub connections: &'a BTreeMap<ChannelId, ConnectTime>,
    /// Channels that were opened since the last report.
    pub unreported: usize,
    /// The next report tells of it.
    pub has_changed: bool,
}

impl Presence {
    pub const fn new(limits: EdgeLimits, reports: Option<PresenceReports>, now: Timestamp) -> Self {
        Self {
            limits,
            reports,
            channels: BTreeMap::new(),
            identities: BTreeMap::new(),
            news: BTreeMap::new(),
            next_report: now,
            next_full: now,
            last_full: None,
        }
    }

    /// Counts a channel that is to be opened. The error says what is full.
    pub fn enter(
        &mut self,
        channel: ChannelId,
        identity: &IdentityId,
        connection: ConnectTime,
    ) -> Result<(), Denial> {
        if self.channels.len() >= self.limits.channels {
            return Err(Denial::busy("the router has too many clients"));
        }
        let of_identity = self.identities.get(identity).map_or(0, BTreeMap::len);
        if of_identity >= self.limits.channels_per_identity {
            return Err(Denial::busy("the identity has too many clients"));
        }
        self.channels.insert(channel, identity.clone());
        let connections = self.identities.entry(identity.clone()).or_default();
        connections.insert(channel, connection);
        if self.reports.is_some() {
            let news = self.news.entry(identity.clone()).or_default();
            news.insert(channel);
        }
        Ok(())
    }

    /// Forgets a channel that has ended.
    pub fn leave(&mut self, channel: ChannelId) {
        let Some(identity) = self.channels.remove(&channel) else {
            return;
        };
        if let Some(connections) = self.identities.get_mut(&identity) {
            connections.remove(&channel);
            if connections.is_empty() {
                self.identities.remove(&identity);
            }
        }
        if self.reports.is_some() {
            self.news.entry(identity).or_default().remove(&channel);
        }
    }

    /// The channels of an identity, such as those that share a session.
    pub fn channels_of(&self, identity: &IdentityId) -> impl Iterator<Item = ChannelId> {
        let channels = self.identities.get(identity);
        channels.into_iter().flat_map(|all| all.keys().copied())
    }

    /// The identities that are connected after one of them, by id; all of them after `None`.
    pub fn views_after(
        &self,
        after: Option<&IdentityId>,
    ) -> impl Iterator<Item = IdentityView<'_>> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let identities = self
            .identities
            .range::<IdentityId, _>((start, Bound::Unbounded));
        identities.map(|(identity, connections)| {
            let news = self.news.get(identity);
            IdentityView {
                identity,
                connections,
                unreported: news.map_or(0, BTreeSet::len),
                has_changed: news.is_some(),
            }
        })
    }

    /// How often controllers are told; `None` if never.
    pub const fn reports(&self) -> Option<PresenceReports> {
        self.reports
    }

    /// When controllers were told everything.
    pub const fn last_full(&self) -> Option<Timestamp> {
        self.last_full
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.channels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// A controller that has just connected is told everything with the next report.
    pub const fn controller_connected(&mut self, now: Timestamp) {
        self.next_full = now;
    }

    /// When to ask for a report.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.reports.map(|_| {
            if self.news.is_empty() {
                self.next_full.max(self.next_report)
            } else {
                self.next_report
            }
        })
    }

    /// What controllers are to be told, if anything is due.
    pub fn report(&mut self, now: Timestamp) -> Option<ConnectEvents> {
        let reports = self.reports?;
        if now < self.deadline()? {
            return None;
        }
        self.next_report = after(now, reports.interval);
        let news = std::mem::take(&mut self.news);
        let is_full_state = now >= self.next_full;
        let events = if is_full_state {
            self.next_full = after(now, reports.full_interval);
            self.last_full = Some(now);
            let all = self.identities.iter();
            all.map(|(identity, connections)| event(identity, connections.values()))
                .collect()
        } else {
            let news = news.iter();
            news.filter_map(|(identity, opened)| self.change(identity, opened))
                .collect()
        };
        Some(ConnectEvents {
            events,
            is_full_state,
        })
    }

    /// News of an identity; none if all that it opened is closed again and it still has others.
    fn change(&self, identity: &IdentityId, opened: &BTreeSet<ChannelId>) -> Option<ConnectEvent> {
        let Some(connections) = self.identities.get(identity) else {
            return Some(event(identity, std::iter::empty()));
        };
        let opened = opened.iter().filter_map(|channel| connections.get(channel));
        Some(event(identity, opened)).filter(|event| event.is_connected)
    }
}

fn event<'a>(
    identity: &IdentityId,
    connections: impl Iterator<Item = &'a ConnectTime>,
) -> ConnectEvent {
    let connections: Vec<_> = connections.take(MAX_TOLD).cloned().collect();
    ConnectEvent {
        identity_id: identity.as_str().to_owned(),
        is_connected: !connections.is_empty(),
        connections,
    }
}
