//! The network at the moment: what routers have told, and no record has.

use portcullis_domain::ids::{CircuitId, IdentityId, LinkId, RouterId, TerminatorId};
use portcullis_domain::view::{
    CircuitView, EdgeRouterConnection, LinkChange, LinkView, RouterConnection,
};

/// The network as routers report it.
///
/// Each method answers from memory and waits for no router. It may take locks of its own, so nobody
/// calls it who holds a lock of the read model. What it returns is of one moment; two
/// calls may be of two. The ids are data: the records that they name may be gone.
pub trait LiveNetwork: Send + Sync {
    /// The connection of a router; the default if it was never connected or does not exist.
    fn router(&self, id: &RouterId) -> RouterConnection;

    /// Whether a router is connected.
    fn is_online(&self, id: &RouterId) -> bool {
        self.router(id).is_online()
    }

    /// The routers that are connected, by id.
    fn online_routers(&self) -> Vec<RouterId>;

    /// How much of everything there is.
    fn counts(&self) -> NetworkCounts;

    /// All links, by id.
    fn links(&self) -> Vec<LinkView>;

    fn link(&self, id: &LinkId) -> Option<LinkView>;

    /// Changes a link; returns whether it exists.
    fn change_link(&self, id: &LinkId, change: LinkChange) -> bool;

    /// Removes a link at both ends; returns whether it exists. Of a link that the controller does
    /// not know, all routers are told.
    fn remove_link(&self, id: &LinkId) -> bool;

    /// Established circuits, by id: the first `count` of those after `after`. There can be so many
    /// that a list reads them in parts, between which the network goes on.
    fn circuits_after(&self, after: Option<&CircuitId>, count: usize) -> Vec<CircuitView>;

    fn circuit(&self, id: &CircuitId) -> Option<CircuitView>;

    /// Removes a circuit; returns whether it exists. What is on its way is dropped if `immediate`.
    fn remove_circuit(&self, id: &CircuitId, immediate: bool) -> bool;

    /// Cost of a terminator that follows from its circuits and from failed dials.
    fn dynamic_cost(&self, terminator: &TerminatorId) -> u16;

    /// Whether an identity is connected to edge routers.
    fn identity_connection(&self, id: &IdentityId) -> EdgeRouterConnection;
}

/// How much there is in the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NetworkCounts {
    /// Routers that are connected.
    pub routers: usize,
    pub links: usize,
    /// Circuits that are established.
    pub circuits: usize,
}

/// A network to which no router was ever connected.
pub(crate) struct NoNetwork;

impl LiveNetwork for NoNetwork {
    fn router(&self, _id: &RouterId) -> RouterConnection {
        RouterConnection::default()
    }

    fn online_routers(&self) -> Vec<RouterId> {
        Vec::new()
    }

    fn counts(&self) -> NetworkCounts {
        NetworkCounts::default()
    }

    fn links(&self) -> Vec<LinkView> {
        Vec::new()
    }

    fn link(&self, _id: &LinkId) -> Option<LinkView> {
        None
    }

    fn change_link(&self, _id: &LinkId, _change: LinkChange) -> bool {
        false
    }

    fn remove_link(&self, _id: &LinkId) -> bool {
        false
    }

    fn circuits_after(&self, _after: Option<&CircuitId>, _count: usize) -> Vec<CircuitView> {
        Vec::new()
    }

    fn circuit(&self, _id: &CircuitId) -> Option<CircuitView> {
        None
    }

    fn remove_circuit(&self, _id: &CircuitId, _immediate: bool) -> bool {
        false
    }

    fn dynamic_cost(&self, _terminator: &TerminatorId) -> u16 {
        0
    }

    fn identity_connection(&self, _id: &IdentityId) -> EdgeRouterConnection {
        EdgeRouterConnection::default()
    }
}
