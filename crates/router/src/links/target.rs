//! A link that ought to be there, and the attempts to make it.

use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{self, Entropy, EntropyError};

use crate::links::connections::Connections;
use crate::links::dialer::Dialer;
use crate::links::names::{Link, LinkId, LinkKey};
use crate::links::peer::Listener;
use crate::links::policy::Policy;
use crate::time::after;

/// Stands for an attempt that is under way; handed back when it is over.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "nothing is dialed for the same purpose until the ticket is handed back"]
pub struct Ticket {
    pub(super) key: LinkKey,
    pub(super) link: Link,
    pub(super) address: String,
}

/// An attempt to begin now.
#[derive(Debug, PartialEq)]
pub struct Dial {
    /// Stands for the attempt.
    pub ticket: Ticket,
    /// The dialer, whose interface is dialed from.
    pub dialer: Arc<Dialer>,
    /// Connections that make up the link.
    pub connections: Connections,
}

impl Ticket {
    /// What the link is for.
    pub fn key(&self) -> &LinkKey {
        &self.key
    }

    /// The link that comes of it.
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
pub(super) struct Target {
    pub(super) dialer: Arc<Dialer>,
    pub(super) listener: Listener,
    /// When it is dialed, unless it is linked or being dialed by then.
    pub(super) due: Timestamp,
    pause: Duration,
    /// Drawn for the first attempt.
    id: Option<LinkId>,
    attempts: u32,
    last: Option<Timestamp>,
}

impl Target {
    /// A target that is dialed at once.
    pub(super) fn new(dialer: Arc<Dialer>, listener: Listener, now: Timestamp) -> Self {
        Self {
            dialer,
            listener,
            due: now,
            pause: Duration::ZERO,
            id: None,
            attempts: 0,
            last: None,
        }
    }

    /// Begins an attempt.
    pub(super) fn begin(
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
            ticket: Ticket {
                key: key.clone(),
                link: Link { id, iteration },
                address: self.listener.address.clone(),
            },
            dialer: Arc::clone(&self.dialer),
            connections: self.dialer.connections_for(version),
        })
    }

    /// Pauses after a failure, each time longer.
    pub(super) fn failed(&mut self, policy: Policy, entropy: &dyn Entropy, now: Timestamp) {
        self.pause = policy.next(self.pause, entropy);
        self.due = after(now, self.pause);
    }

    /// Is dialed now, whatever was before. Failures are forgotten.
    pub(super) fn urge(&mut self, now: Timestamp) {
        self.pause = Duration::ZERO;
        self.due = now;
    }

    /// Is dialed now, or as soon as the shortest pause since the last attempt is over. Failures are forgotten.
    pub(super) fn renew(&mut self, policy: Policy, now: Timestamp) {
        let rested = self.last.map(|last| after(last, policy.min()));
        self.pause = Duration::ZERO;
        self.due = rested.map_or(now, |rested| rested.max(now));
    }
}
