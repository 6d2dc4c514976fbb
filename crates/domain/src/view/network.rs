//! Read models of the network at the moment: links and circuits, which have no records.

use super::{NamedRef, RouterConnection};
use crate::clock::Timestamp;
use crate::ids::{CircuitId, IdentityId, LinkId, RouterId, ServiceId, TerminatorId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A link between two routers, as the one that dialed it reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkView {
    pub id: LinkId,
    /// The router that dialed the link.
    pub source: RouterId,
    pub destination: RouterId,
    pub protocol: String,
    /// Address that the source dialed.
    pub dial_address: String,
    /// Counts how often the source has dialed the link.
    pub iteration: u32,
    pub static_cost: u32,
    /// Latency as measured by the source.
    pub source_latency: Duration,
    /// Latency as measured by the destination.
    pub destination_latency: Duration,
    /// Cost of a circuit over the link: static cost and latencies in milliseconds.
    pub cost: u32,
    /// Whether an administrator keeps circuits off the link.
    pub is_down: bool,
    pub connections: Vec<LinkConnection>,
}

impl LinkView {
    /// The state of every link: controllers are told of a link once it is connected, and forget it
    /// when it is not.
    pub const STATE: &'static str = "Connected";
}

/// One connection of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkConnection {
    /// What it carries, such as `link.default`.
    pub kind: String,
    /// Address at the source.
    pub local_address: String,
    /// Address at the destination.
    pub remote_address: String,
}

/// Members of a link to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkChange {
    pub static_cost: Option<u32>,
    pub is_down: Option<bool>,
}

/// A circuit: a connection of a client to a service, over routers and links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitView {
    pub id: CircuitId,
    /// Who dialed. The identity of a router has the id of the router.
    pub client: IdentityId,
    pub service: ServiceId,
    /// `None` if the circuit is older than this process, and no router has told.
    pub terminator: Option<TerminatorId>,
    pub path: CircuitPath,
    pub created_at: Timestamp,
    /// For logs and usage reports of routers.
    pub tags: Arc<BTreeMap<String, String>>,
}

/// The way of a circuit, from the client to the terminator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CircuitPath {
    pub routers: Vec<RouterId>,
    /// One fewer than routers.
    pub links: Vec<LinkId>,
}

/// Whether an identity is connected to edge routers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EdgeRouterConnection {
    #[default]
    Offline,
    Online,
    /// Edge routers that might know have not reported.
    Unknown,
}

impl EdgeRouterConnection {
    pub const ALL: [Self; 3] = [Self::Offline, Self::Online, Self::Unknown];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Online => "online",
            Self::Unknown => "unknown",
        }
    }
}

/// A link with the names of its routers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedLink {
    pub link: LinkView,
    pub source: NamedRef<RouterId>,
    pub destination: NamedRef<RouterId>,
}

/// A circuit with the names of its service and its routers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCircuit {
    pub circuit: CircuitView,
    pub service: NamedRef<ServiceId>,
    /// Those of the path, from the client to the terminator.
    pub routers: Vec<NamedRef<RouterId>>,
}

/// A value of a controller or of a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InspectedValue {
    ConnectedRouters(Vec<ConnectedRouter>),
    Links(Vec<NamedLink>),
    Circuits(Vec<NamedCircuit>),
    /// Text or JSON, as a router says it.
    Text(String),
}

/// A router that is connected to the controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedRouter {
    pub router: NamedRef<RouterId>,
    pub connection: RouterConnection,
}
