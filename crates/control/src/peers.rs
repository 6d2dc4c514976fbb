//! What routers are told of each other.
//!
//! Routers dial links to those that they are told of. What each one has yet to be told is a set of ids,
//! and is looked up when there is room to send it: a router that comes and goes while another one is
//! slow is told of once, as it is then.

use parking_lot::Mutex;
use portcullis_domain::ids::RouterId;
use portcullis_wire::control::peer::{Listener, PeerState, PeerStateChange};
use std::collections::BTreeSet;
use std::mem;
use tokio::sync::Notify;

/// The routers that a router has yet to be told of.
#[derive(Debug, Default)]
pub(crate) struct PeerNews {
    changed: Mutex<Changed>,
    added: Notify,
}

/// Routers that have changed since their news were last taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changed {
    pub(crate) routers: BTreeSet<RouterId>,
    /// How often there were news in this session.
    pub(crate) version: u32,
}

impl PeerNews {
    pub(crate) fn add(&self, peers: impl IntoIterator<Item = RouterId>) {
        let mut changed = self.changed.lock();
        changed.routers.extend(peers);
        if !changed.routers.is_empty() {
            changed.version = changed.version.wrapping_add(1);
            self.added.notify_one();
        }
    }

    /// Waits until there is something to be told.
    pub(crate) async fn added(&self) {
        self.added.notified().await;
    }

    /// Those that the router has not been told of.
    pub(crate) fn waiting(&self) -> Changed {
        self.changed.lock().clone()
    }

    pub(crate) fn take(&self) -> BTreeSet<RouterId> {
        mem::take(&mut self.changed.lock().routers)
    }
}

/// A router as others see it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PeerStatus {
    Connected {
        version: String,
        listeners: Vec<Listener>,
    },
    Disconnected,
    Deleted,
}

impl PeerStatus {
    pub(crate) fn into_change(self, id: &RouterId) -> PeerStateChange {
        let (state, version, listeners) = match self {
            Self::Connected { version, listeners } => (PeerState::Healthy, version, listeners),
            Self::Disconnected => (PeerState::Unhealthy, String::new(), Vec::new()),
            Self::Deleted => (PeerState::Removed, String::new(), Vec::new()),
        };
        PeerStateChange {
            id: id.as_str().to_owned(),
            version,
            state,
            listeners,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> RouterId {
        RouterId::from_wire(text)
    }

    #[test]
    fn news_of_one_router_is_told_once() {
        let news = PeerNews::default();
        news.add([id("r1"), id("r2")]);
        news.add([id("r1")]);
        assert_eq!(news.take().len(), 2);
        assert!(news.take().is_empty());
    }

    #[test]
    fn router_that_is_gone_has_neither_version_nor_listeners() {
        let gone = PeerStatus::Deleted.into_change(&id("r1"));
        assert_eq!(gone.state, PeerState::Removed);
        assert_eq!((&*gone.id, &*gone.version), ("r1", ""));
        let listeners = vec![Listener {
            address: "tls:r1:6262".to_owned(),
            ..Listener::default()
        }];
        let version = "v2.1.0".to_owned();
        let there = PeerStatus::Connected { version, listeners }.into_change(&id("r1"));
        assert_eq!(there.state, PeerState::Healthy);
        assert_eq!(there.listeners.len(), 1);
    }
}
