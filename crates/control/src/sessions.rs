//! The routers that are connected.
//!
//! One lock orders connects and disconnects, here and in the picture of the network, so that a channel
//! that ends late never takes down the one that has replaced it.

use crate::network::LiveFabric;
use crate::outlet::Outlet;
use crate::peers::PeerStatus;
use crate::session::{NewSession, Session, peer_changes};
use parking_lot::Mutex;
use portcullis_app::routers::ConnectedRouter;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_fabric::Moment;
use portcullis_wire::control::hello::RouterHello;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Routers that tell what they carry begin with this version.
const TELLS_CIRCUITS: (u64, u64, u64) = (1, 6, 6);

pub(crate) struct Sessions {
    /// How long a channel is safe from being replaced by another one of its router.
    takeover_after: Duration,
    by_router: Mutex<BTreeMap<RouterId, Arc<Session>>>,
    /// When the last session of a router has ended that is not connected now.
    disconnected: Mutex<BTreeMap<RouterId, Timestamp>>,
}

/// A router that is to be connected.
pub(crate) struct Connecting {
    pub(crate) router: ConnectedRouter,
    pub(crate) hello: RouterHello,
    pub(crate) outlet: Arc<Outlet>,
    pub(crate) at: Timestamp,
}

impl Sessions {
    pub(crate) fn new(takeover_after: Duration) -> Self {
        Self {
            takeover_after,
            by_router: Mutex::default(),
            disconnected: Mutex::default(),
        }
    }

    pub(crate) const fn takeover_after(&self) -> Duration {
        self.takeover_after
    }

    /// Whether another channel of the router may replace the one that it has, if any.
    pub(crate) fn can_connect(&self, id: &RouterId, now: Moment) -> bool {
        let sessions = self.by_router.lock();
        let present = sessions.get(id);
        present.is_none_or(|session| now.since(session.opened) >= self.takeover_after)
    }

    /// Begins a session. The one that it replaces is closed. `None` if the router has no record.
    pub(crate) fn connect(
        &self,
        connecting: Connecting,
        network: &LiveFabric,
    ) -> Option<Arc<Session>> {
        let Connecting {
            router,
            hello,
            outlet,
            at,
        } = connecting;
        let id = router.id().clone();
        let mut sessions = self.by_router.lock();
        let tells_circuits = tells_circuits(&hello);
        let session = network.connect(&id, Arc::clone(&outlet), tells_circuits)?;
        let session = Arc::new(Session::new(NewSession {
            router,
            network: session,
            hello,
            connected_at: at,
            opened: network.now(),
            outlet,
        }));
        self.disconnected.lock().remove(&id);
        if let Some(replaced) = sessions.insert(id.clone(), Arc::clone(&session)) {
            replaced.close();
        }
        session
            .peers
            .add(sessions.keys().filter(|other| **other != id).cloned());
        tell_others(&sessions, &id);
        Some(session)
    }

    /// Ends a session.
    pub(crate) fn disconnect(&self, session: &Arc<Session>, at: Timestamp, network: &LiveFabric) {
        session.end();
        let mut sessions = self.by_router.lock();
        network.disconnect(session.network);
        let present = sessions.get(session.id());
        if present.is_some_and(|present| Arc::ptr_eq(present, session)) {
            sessions.remove(session.id());
            self.disconnected.lock().insert(session.id().clone(), at);
            tell_others(&sessions, session.id());
        }
    }

    pub(crate) fn get(&self, id: &RouterId) -> Option<Arc<Session>> {
        self.by_router.lock().get(id).cloned()
    }

    /// Whether a session has neither ended nor been replaced.
    pub(crate) fn has(&self, session: &Arc<Session>) -> bool {
        let present = self.get(session.id());
        present.is_some_and(|present| Arc::ptr_eq(&present, session))
    }

    /// When the last session of a router has ended; `None` if none has.
    pub(crate) fn disconnected_at(&self, id: &RouterId) -> Option<Timestamp> {
        self.disconnected.lock().get(id).copied()
    }

    /// Forgets a router that was deleted.
    pub(crate) fn forget(&self, id: &RouterId) {
        self.disconnected.lock().remove(id);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_router.lock().is_empty()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.by_router.lock().values().cloned().collect()
    }

    /// Lets all others know that something about a router has changed.
    pub(crate) fn tell_of(&self, id: &RouterId) {
        tell_others(&self.by_router.lock(), id);
    }

    /// Sends a router what it has yet to be told of others.
    pub(crate) fn tell_peers(&self, session: &Session, network: &LiveFabric) {
        let changed = session.peers.take();
        if changed.is_empty() {
            return;
        }
        let statuses: Vec<_> = {
            let sessions = self.by_router.lock();
            let status = |id: RouterId| {
                let connected = sessions.get(&id).map(|session| session.peer_status());
                let status = connected.unwrap_or_else(|| absent(&id, network));
                (id, status)
            };
            changed.into_iter().map(status).collect()
        };
        session.send(&peer_changes(statuses.into_iter()));
    }
}

fn tell_others(sessions: &BTreeMap<RouterId, Arc<Session>>, id: &RouterId) {
    for (_, other) in sessions.iter().filter(|(other, _)| *other != id) {
        other.peers.add([id.clone()]);
    }
}

fn absent(id: &RouterId, network: &LiveFabric) -> PeerStatus {
    let has_record = network.read(|fabric| fabric.network().find_router(id).is_some());
    if has_record {
        PeerStatus::Disconnected
    } else {
        PeerStatus::Deleted
    }
}

/// Whether a router tells what it carries, and how its links are connected.
pub(crate) fn tells_circuits(hello: &RouterHello) -> bool {
    version_number(&hello.version.version) >= TELLS_CIRCUITS
}

/// The numbers of a version such as `v2.1.0-pre2`. `v0.0.0` and what is no version count as the newest
/// one: that is what builds by hand call themselves.
fn version_number(version: &str) -> (u64, u64, u64) {
    const NEWEST: (u64, u64, u64) = (u64::MAX, u64::MAX, u64::MAX);
    let core = version.strip_prefix('v').unwrap_or(version);
    let core = core.split(['-', '+']).next().unwrap_or_default();
    let numbers: Option<Vec<u64>> = core.split('.').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        None | Some([0, 0, 0]) => NEWEST,
        Some([major, minor, patch]) => (*major, *minor, *patch),
        Some(_) => NEWEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version_number("v1.6.5") < TELLS_CIRCUITS);
        assert!(version_number("1.6.6") >= TELLS_CIRCUITS);
        assert!(version_number("v2.1.0-pre2") >= TELLS_CIRCUITS);
        assert!(version_number("v10.0.0") >= TELLS_CIRCUITS);
        assert!(version_number("v0.0.0") >= TELLS_CIRCUITS);
        assert!(version_number("unknown") >= TELLS_CIRCUITS);
    }
}
