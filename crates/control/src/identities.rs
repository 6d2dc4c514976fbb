//! Which identities are connected to routers, as those say.
//!
//! A router says it by its changes, and all of it when its channel begins. What it has said in an earlier
//! channel is remembered until then: the identities are mostly still there. Until their router says so,
//! nobody knows; those who watch are told that only if it takes long.
//!
//! The router itself is one of them, if it has a tunneler.

mod told_times;

use crate::events::identity_connect;
use crate::session::Session;
use parking_lot::Mutex;
use portcullis_app::App;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{IdentityId, RouterId};
use portcullis_events::{Body, Namespace, SdkStatus, SdkStatusKind, is_id};
use portcullis_fabric::RouterSession;
use portcullis_wire::control::connect_event::{ConnectEvent, ConnectEvents};
use std::collections::{BTreeMap, BTreeSet};
use told_times::ToldTimes;

/// Identities connected to one router, at most; further ones are not shown as connected.
const MAX_IDENTITIES: usize = 100_000;

/// The identities that are connected to routers.
///
/// Events are published under its lock, so that the last one of an identity is true.
#[derive(Debug, Default)]
pub(crate) struct ConnectedIdentities(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    routers: BTreeMap<RouterId, AtRouter>,
    identities: BTreeMap<IdentityId, Identity>,
}

/// What a router says.
#[derive(Debug)]
struct AtRouter {
    /// The last session of the router.
    session: RouterSession,
    is_open: bool,
    connections: BTreeMap<IdentityId, Connection>,
    /// Whether it may be that nobody knows of some any more.
    is_doubtful: bool,
}

#[derive(Debug, Clone)]
struct Connection {
    /// In which the router has said it.
    session: RouterSession,
    /// Since when it says so, in whatever session.
    since: Timestamp,
    told: ToldTimes,
}

#[derive(Debug)]
struct Identity {
    routers: BTreeSet<RouterId>,
    /// As it was told, or would have been.
    status: SdkStatusKind,
}

/// Where an identity is connected, for inspections.
#[derive(Debug, Clone)]
pub(crate) struct IdentityConnections {
    pub(crate) identity: IdentityId,
    /// As it was last told.
    pub(crate) status: SdkStatusKind,
    /// Routers that have said that it is connected to them, and whether their channels are open.
    pub(crate) routers: Vec<(RouterId, bool)>,
}

impl AtRouter {
    fn knows(&self, identity: &IdentityId) -> bool {
        let connection = self.connections.get(identity);
        self.is_open && connection.is_some_and(|connection| connection.session == self.session)
    }
}

impl ConnectedIdentities {
    /// A session of a router begins.
    pub(crate) fn begin(&self, app: &App, session: &Session) {
        let state = &mut *self.0.lock();
        let network = session.network;
        let at = state.routers.entry(session.id().clone());
        let at = at.or_insert_with(|| AtRouter {
            session: network,
            is_open: false,
            connections: BTreeMap::new(),
            is_doubtful: false,
        });
        // A router that was deleted and created again is another one.
        let is_same = at.session.router() == network.router();
        if is_same && at.session > network {
            return;
        }
        at.session = network;
        at.is_open = true;
        at.is_doubtful = !at.connections.is_empty();
        if session.router.is_tunneler_enabled() {
            let own = IdentityId::from_wire(session.id().as_str());
            state.connect(session.id(), &own, network, app.env().now());
            state.tell(app, &own);
        }
    }

    /// A session has ended.
    pub(crate) fn end(&self, session: &Session) {
        let routers = &mut self.0.lock().routers;
        if let Some(at) = routers.get_mut(session.id())
            && at.session == session.network
        {
            at.is_open = false;
            at.is_doubtful = true;
        }
    }

    /// Takes what a router says.
    pub(crate) fn take(&self, app: &App, session: &Session, said: ConnectEvents) {
        let state = &mut *self.0.lock();
        let (router, network) = (session.id(), session.network);
        let is_current = |at: &&mut AtRouter| at.session == network && at.is_open;
        let Some(at) = state.routers.get_mut(router).filter(is_current) else {
            return;
        };
        if said.is_full_state {
            at.is_doubtful = false;
            let own = session
                .router
                .is_tunneler_enabled()
                .then(|| router.as_str());
            let there = said.events.iter().filter(|event| event.is_connected);
            let there: BTreeSet<_> = there.map(|event| &*event.identity_id).chain(own).collect();
            let all = at.connections.keys();
            let gone: Vec<_> = all
                .filter(|identity| !there.contains(identity.as_str()))
                .cloned()
                .collect();
            for identity in gone {
                state.disconnect(router, &identity);
                state.tell(app, &identity);
            }
        }
        for event in said.events {
            state.follow(app, (router, network), event, said.is_full_state);
        }
    }

    /// Whether an identity is connected to a router that is connected here.
    pub(crate) fn is_connected(&self, identity: &IdentityId) -> bool {
        self.0.lock().is_connected(identity)
    }

    /// The identities that a router says are connected to it, if it is connected here.
    /// Each with since when it says so.
    pub(crate) fn at(&self, router: &RouterId) -> Vec<(IdentityId, Timestamp)> {
        let state = self.0.lock();
        let at = state.routers.get(router).into_iter();
        let known = at.flat_map(|at| {
            let connections = at.connections.iter();
            connections.filter(|(identity, _)| at.knows(identity))
        });
        known
            .map(|(identity, connection)| (identity.clone(), connection.since))
            .collect()
    }

    /// The identities that are known, up to so many, and how many there are.
    pub(crate) fn views(&self, most: usize) -> (Vec<IdentityConnections>, usize) {
        let state = self.0.lock();
        let views = state.identities.iter().take(most).map(|(id, known)| {
            let routers = known.routers.iter().map(|router| {
                let at = state.routers.get(router);
                (router.clone(), at.is_some_and(|at| at.is_open))
            });
            IdentityConnections {
                identity: id.clone(),
                status: known.status,
                routers: routers.collect(),
            }
        });
        (views.collect(), state.identities.len())
    }

    /// Tells of identities that nobody knows of any more, and forgets those at routers that have no record.
    pub(crate) fn scan(&self, app: &App, has_record: impl Fn(&RouterId) -> bool) {
        for router in self.doubtful() {
            let has_record = has_record(&router);
            self.0.lock().scan(app, &router, has_record);
        }
    }

    fn doubtful(&self) -> Vec<RouterId> {
        let routers = &self.0.lock().routers;
        let doubtful = routers.iter().filter(|(_, at)| at.is_doubtful);
        doubtful.map(|(router, _)| router.clone()).collect()
    }
}

impl State {
    fn is_connected(&self, identity: &IdentityId) -> bool {
        let routers = self.identities.get(identity).map(|known| &known.routers);
        let mut routers = routers.into_iter().flatten();
        routers.any(|router| {
            let at = self.routers.get(router);
            at.is_some_and(|at| at.knows(identity))
        })
    }

    fn follow(
        &mut self,
        app: &App,
        (router, session): (&RouterId, RouterSession),
        event: ConnectEvent,
        is_told_again: bool,
    ) {
        if !is_id(&event.identity_id) {
            return;
        }
        let identity = IdentityId::from_wire(event.identity_id);
        if !event.is_connected {
            if identity.as_str() != router.as_str() {
                self.disconnect(router, &identity);
            }
            self.tell(app, &identity);
            return;
        }
        let now = app.env().now();
        let Some(connection) = self.connect(router, &identity, session, now) else {
            return;
        };
        let told = &mut connection.told;
        let connections = event.connections.iter();
        let mut new: Vec<_> = connections
            .filter(|said| said.time_millis > 0 && !told.has(said.time_millis, is_told_again))
            .collect();
        // The latest are those that are remembered.
        new.sort_by_key(|said| said.time_millis);
        for said in new {
            told.add(said.time_millis);
            if app.wants_events(Namespace::Connect)
                && let Ok(time) = Timestamp::from_millisecond(said.time_millis)
            {
                app.publish_at(time, identity_connect(&identity, router, said));
            }
        }
        self.tell(app, &identity);
    }

    /// `None` if the router has as many as it may have.
    fn connect(
        &mut self,
        router: &RouterId,
        identity: &IdentityId,
        session: RouterSession,
        now: Timestamp,
    ) -> Option<&mut Connection> {
        let connections = &mut self.routers.get_mut(router)?.connections;
        if connections.len() >= MAX_IDENTITIES && !connections.contains_key(identity) {
            return None;
        }
        let known = self.identities.entry(identity.clone());
        let known = known.or_insert_with(|| Identity {
            routers: BTreeSet::new(),
            status: SdkStatusKind::Offline,
        });
        known.routers.insert(router.clone());
        let connection = connections.entry(identity.clone()).or_insert(Connection {
            session,
            since: now,
            told: ToldTimes::default(),
        });
        connection.session = session;
        Some(connection)
    }

    fn disconnect(&mut self, router: &RouterId, identity: &IdentityId) {
        if let Some(at) = self.routers.get_mut(router) {
            at.connections.remove(identity);
        }
        if let Some(known) = self.identities.get_mut(identity) {
            known.routers.remove(router);
        }
    }

    /// Tells how an identity is, if that is news.
    fn tell(&mut self, app: &App, identity: &IdentityId) {
        let is_connected = self.is_connected(identity);
        let Some(known) = self.identities.get_mut(identity) else {
            return;
        };
        let status = if is_connected {
            SdkStatusKind::Online
        } else if known.routers.is_empty() {
            SdkStatusKind::Offline
        } else {
            SdkStatusKind::Unknown
        };
        if std::mem::replace(&mut known.status, status) != status {
            app.publish(Namespace::Sdk, || {
                Body::Sdk(SdkStatus {
                    kind: status,
                    identity_id: identity.as_str().into(),
                })
            });
        }
        if status == SdkStatusKind::Offline {
            self.identities.remove(identity);
        }
    }

    fn scan(&mut self, app: &App, router: &RouterId, has_record: bool) {
        let Some(at) = self.routers.get(router) else {
            return;
        };
        let is_gone = !has_record && !at.is_open;
        let identities: Vec<_> = at.connections.keys().cloned().collect();
        for identity in identities {
            if is_gone {
                self.disconnect(router, &identity);
            }
            self.tell(app, &identity);
        }
        if is_gone {
            self.routers.remove(router);
        }
    }
}
