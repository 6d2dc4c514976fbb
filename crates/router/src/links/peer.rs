//! Other routers, as reported by controllers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;

use crate::links::backoff::BackoffPolicy;
use crate::links::dial_target::DialTarget;
use crate::links::dialer::Dialer;
use crate::links::group_names::GroupNames;
use crate::links::names::{LinkKey, RouterId};

/// How long a router without connection to a controller and without links is kept.
pub(super) const PEER_RETENTION: Duration = Duration::from_hours(48);

/// A listener of another router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Address with its type, such as `tls:router.example.test:10080`.
    pub address: String,
    /// Protocol, such as `tls`.
    pub protocol: String,
    /// Interface that it listens on, if announced.
    pub interface: Option<String>,
    /// Only dialers that share one of these dial it.
    pub groups: GroupNames,
}

/// A router that is connected to a controller, with its listeners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    pub router: RouterId,
    /// Software version.
    pub version: Option<String>,
    /// All its listeners, not just new ones.
    pub listeners: Vec<Listener>,
}

/// Another router.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) version: Option<String>,
    pub(super) contact: ControllerContact,
    pub(super) targets: BTreeMap<LinkKey, DialTarget>,
}

/// Connection status of a router to controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControllerContact {
    Connected,
    /// Disconnected since this time.
    Lost(Timestamp),
}

impl ControllerContact {
    pub(super) fn policy(self, dialer: &Dialer) -> BackoffPolicy {
        match self {
            Self::Connected => dialer.healthy,
            Self::Lost(_) => dialer.unhealthy,
        }
    }

    /// Restarts the retention time when a link is closed: a router with a link is not lost.
    pub(super) fn restart_retention(&mut self, now: Timestamp) {
        if let Self::Lost(since) = self {
            *since = now;
        }
    }
}

impl Announcement {
    /// Matches dialers with listeners. If several pairs have the same key, the first one counts, by
    /// the order of the listeners and then of the dialers.
    pub(super) fn match_dialers(
        self,
        dialers: &[Arc<Dialer>],
    ) -> BTreeMap<LinkKey, (Arc<Dialer>, Listener)> {
        let mut matches = BTreeMap::new();
        for listener in self.listeners {
            for dialer in dialers {
                if dialer.groups.intersects(&listener.groups) {
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
