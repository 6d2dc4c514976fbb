//! Wanted links and the attempts to open them.

use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{self, Entropy, EntropyError};

use crate::links::backoff::BackoffPolicy;
use crate::links::connection_layout::ConnectionLayout;
use crate::links::dialer::Dialer;
use crate::links::names::{Link, LinkId, LinkKey};
use crate::links::peer::Listener;
use crate::links::state_machine::LinkStatus;
use crate::links::view::TargetView;
use crate::time::after;

/// An attempt in progress, returned when it is over.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "nothing is dialed for the same purpose until the ticket is handed back"]
pub struct DialTicket {
    pub(super) key: LinkKey,
    pub(super) link: Link,
    pub(super) address: String,
}

/// An attempt to start now.
#[derive(Debug, PartialEq)]
pub struct Dial {
    pub ticket: DialTicket,
    /// The dialer, whose interface is dialed from.
    pub dialer: Arc<Dialer>,
    /// Connections of the link.
    pub connections: ConnectionLayout,
}

impl DialTicket {
    /// Key of the link.
    pub fn key(&self) -> &LinkKey {
        &self.key
    }

    /// The link to be opened.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Address to dial.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// A pair of dialer and listener.
#[derive(Debug)]
pub(super) struct DialTarget {
    pub(super) dialer: Arc<Dialer>,
    pub(super) listener: Listener,
    /// When it is dialed, unless it is linked or being dialed by then.
    pub(super) due: Timestamp,
    pause: Duration,
    /// Generated for the first attempt.
    id: Option<LinkId>,
    attempts: u32,
    opened: u32,
    last: Option<Timestamp>,
}

impl DialTarget {
    /// Creates a target that is dialed at once.
    pub(super) fn new(dialer: Arc<Dialer>, listener: Listener, now: Timestamp) -> Self {
        Self {
            dialer,
            listener,
            due: now,
            pause: Duration::ZERO,
            id: None,
            attempts: 0,
            opened: 0,
            last: None,
        }
    }

    pub(super) fn view(&self, key: &LinkKey, status: LinkStatus) -> TargetView {
        TargetView {
            key: key.clone(),
            id: self.id.clone(),
            status,
            attempts: self.attempts,
            opened: self.opened,
            pause: self.pause,
            listener: self.listener.clone(),
            groups: self.dialer.groups.clone(),
            interface: self.dialer.interface.clone(),
        }
    }

    /// Starts an attempt.
    pub(super) fn begin_attempt(
        &mut self,
        key: &LinkKey,
        version: Option<&str>,
        entropy: &dyn Entropy,
        now: Timestamp,
    ) -> Result<Dial, EntropyError> {
        let id = match &self.id {
            Some(id) => id.clone(),
            None => LinkId::from_wire(entropy::uuid(entropy)?),
        };
        self.id = Some(id.clone());
        self.attempts = self.attempts.saturating_add(1);
        self.last = Some(now);
        let iteration = self.attempts;
        Ok(Dial {
            ticket: DialTicket {
                key: key.clone(),
                link: Link { id, iteration },
                address: self.listener.address.clone(),
            },
            dialer: Arc::clone(&self.dialer),
            connections: self.dialer.connections_for(version),
        })
    }

    /// Counts a link that is open.
    pub(super) const fn record_success(&mut self) {
        self.opened = self.opened.saturating_add(1);
    }

    /// Schedules the next attempt after a failure, with a growing pause.
    pub(super) fn record_failure(
        &mut self,
        policy: BackoffPolicy,
        entropy: &dyn Entropy,
        now: Timestamp,
    ) {
        self.pause = policy.next_pause(self.pause, entropy);
        self.due = after(now, self.pause);
    }

    /// Schedules the next attempt after a pause that is nearly the shortest, with which growth begins anew.
    pub(super) fn retry_soon(
        &mut self,
        policy: BackoffPolicy,
        entropy: &dyn Entropy,
        now: Timestamp,
    ) {
        self.pause = policy.min();
        self.due = after(now, policy.short_pause(entropy));
    }

    /// Schedules an attempt now and resets the backoff.
    pub(super) fn retry_now(&mut self, now: Timestamp) {
        self.pause = Duration::ZERO;
        self.due = now;
    }

    /// Resets the backoff and schedules an attempt now, or when the shortest pause since the last
    /// one is over.
    pub(super) fn reset_backoff(&mut self, policy: BackoffPolicy, now: Timestamp) {
        let rested = self.last.map(|last| after(last, policy.min()));
        self.pause = Duration::ZERO;
        self.due = rested.map_or(now, |rested| rested.max(now));
    }
}
