//! Other routers, as controllers tell about them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;

use crate::links::dialer::Dialer;
use crate::links::groups::Groups;
use crate::links::names::{LinkKey, RouterId};
use crate::links::policy::Policy;
use crate::links::target::Target;

/// How long a router that is not connected to a controller and has no link is remembered.
pub(super) const REMEMBERED: Duration = Duration::from_hours(48);

/// Where another router can be dialed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Address with its type, such as `tls:router.example.test:10080`.
    pub address: String,
    /// Protocol, such as `tls`.
    pub protocol: String,
    /// Interface that it listens on, if it has said so.
    pub interface: Option<String>,
    /// Only dialers that share one of these dial it.
    pub groups: Groups,
}

/// A router that is connected to a controller, and what it announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The router.
    pub router: RouterId,
    /// Version of its software.
    pub version: Option<String>,
    /// Where it can be dialed; this is all there is, not what is new.
    pub listeners: Vec<Listener>,
}

/// Another router.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) version: Option<String>,
    pub(super) contact: Contact,
    pub(super) targets: BTreeMap<LinkKey, Target>,
}

/// Whether a router is connected to a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contact {
    Connected,
    /// It is not, since then.
    Lost(Timestamp),
}

impl Contact {
    pub(super) fn policy(self, dialer: &Dialer) -> Policy {
        match self {
            Self::Connected => dialer.healthy,
            Self::Lost(_) => dialer.unhealthy,
        }
    }

    /// As long as there is a link, the router is not lost for good.
    pub(super) fn unlinked(&mut self, now: Timestamp) {
        if let Self::Lost(since) = self {
            *since = now;
        }
    }
}

impl Announcement {
    /// Matches dialers and listeners. If several pairs would make a link for the same purpose, the first
    /// one counts, by the order of the listeners and then of the dialers.
    pub(super) fn matches(
        self,
        dialers: &[Arc<Dialer>],
    ) -> BTreeMap<LinkKey, (Arc<Dialer>, Listener)> {
        let mut matches = BTreeMap::new();
        for listener in self.listeners {
            for dialer in dialers {
                if dialer.groups.share(&listener.groups) {
                    let (ours, theirs) = (&dialer.interface, &listener.interface);
                    let key = LinkKey::new(
                        self.router.clone(),
                        &listener.protocol,
                        ours.as_deref(),
                        theirs.as_deref(),
                    );
                    let pair = || (Arc::clone(dialer), listener.clone());
                    matches.entry(key).or_insert_with(pair);
                }
            }
        }
        matches
    }
}
