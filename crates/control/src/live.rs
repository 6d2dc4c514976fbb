//! The network as REST shows it.

use crate::identities::ConnectedIdentities;
use crate::network::LiveFabric;
use crate::plane::{self, Plane};
use crate::sessions::Sessions;
use portcullis_app::{LiveNetwork, NetworkCounts};
use portcullis_domain::Env;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{CircuitId, IdentityId, LinkId, RouterId, TerminatorId};
use portcullis_domain::view::{
    CircuitPath, CircuitView, EdgeRouterConnection, LinkChange, LinkConnection, LinkView,
    RouterConnection,
};
use portcullis_fabric as fabric;
use portcullis_fabric::{Fabric, Moment, Network, RouterSlot};
use portcullis_transport::Clock;
use std::sync::Arc;

/// What REST reads. It does not own the controller, which owns it.
pub(crate) struct LiveView {
    sessions: Arc<Sessions>,
    identities: Arc<ConnectedIdentities>,
    network: Arc<LiveFabric>,
    env: Env,
    clock: Clock,
}

impl LiveNetwork for LiveView {
    fn router(&self, id: &RouterId) -> RouterConnection {
        let session = self.sessions.get(id);
        let connected = session.map(|session| session.connection());
        connected.unwrap_or_else(|| RouterConnection {
            disconnected_at: self.sessions.disconnected_at(id),
            ..RouterConnection::default()
        })
    }

    fn online_routers(&self) -> Vec<RouterId> {
        let sessions = self.sessions.all();
        sessions
            .iter()
            .map(|session| session.id().clone())
            .collect()
    }

    fn counts(&self) -> NetworkCounts {
        let routers = self.sessions.all().len();
        self.network.read(|fabric| NetworkCounts {
            routers,
            links: fabric.network().links().count(),
            circuits: fabric.open_circuits(),
        })
    }

    fn links(&self) -> Vec<LinkView> {
        self.network.read(|fabric| {
            let network = fabric.network();
            let links = network.links();
            links.filter_map(|link| link_view(network, link)).collect()
        })
    }

    fn link(&self, id: &LinkId) -> Option<LinkView> {
        let id = fabric::LinkId::new(id.as_str()).ok()?;
        self.network.read(|fabric| {
            let network = fabric.network();
            link_view(network, network.link(&id)?)
        })
    }

    fn change_link(&self, id: &LinkId, change: LinkChange) -> bool {
        let Ok(id) = fabric::LinkId::new(id.as_str()) else {
            return false;
        };
        self.network.change(|fabric, now| {
            let is_known = fabric.network().link(&id).is_some();
            if let Some(cost) = change.static_cost {
                fabric.set_link_cost(&id, cost);
            }
            if let Some(is_down) = change.is_down {
                fabric.set_link_down(&id, is_down, now);
            }
            is_known
        })
    }

    fn remove_link(&self, id: &LinkId) -> bool {
        let Ok(id) = fabric::LinkId::new(id.as_str()) else {
            return false;
        };
        self.network.change(|fabric, now| {
            let is_known = fabric.network().link(&id).is_some();
            fabric.remove_link(&id, now);
            is_known
        })
    }

    fn circuits_after(&self, after: Option<&CircuitId>, count: usize) -> Vec<CircuitView> {
        let after = after.and_then(|id| fabric::CircuitId::new(id.as_str()).ok());
        self.network.read(|fabric| {
            let circuits = fabric.circuits_after(after.as_ref());
            circuits
                .filter(|circuit| circuit.is_open)
                .take(count)
                .map(|circuit| self.circuit_view(fabric, &circuit))
                .collect()
        })
    }

    fn circuit(&self, id: &CircuitId) -> Option<CircuitView> {
        let id = fabric::CircuitId::new(id.as_str()).ok()?;
        self.network.read(|fabric| {
            let circuit = fabric.circuit(&id).filter(|circuit| circuit.is_open)?;
            Some(self.circuit_view(fabric, &circuit))
        })
    }

    fn remove_circuit(&self, id: &CircuitId, immediate: bool) -> bool {
        let Ok(id) = fabric::CircuitId::new(id.as_str()) else {
            return false;
        };
        self.network
            .change(|fabric, _| fabric.remove_circuit(&id, immediate))
    }

    fn dynamic_cost(&self, terminator: &TerminatorId) -> u16 {
        let now = self.network.now();
        self.network.read(|fabric| {
            let cost = fabric.terminators().cost(terminator, now);
            cost.map(|cost| cost.dynamic).unwrap_or_default()
        })
    }

    fn identity_connection(&self, id: &IdentityId) -> EdgeRouterConnection {
        if self.identities.is_connected(id) {
            EdgeRouterConnection::Online
        } else {
            EdgeRouterConnection::Offline
        }
    }
}

impl LiveView {
    pub(crate) fn new(plane: &Plane) -> Self {
        Self {
            sessions: Arc::clone(&plane.sessions),
            identities: Arc::clone(&plane.identities),
            network: Arc::clone(&plane.network),
            env: plane.app.env().clone(),
            clock: plane.transport.clock(),
        }
    }

    fn circuit_view(&self, fabric: &Fabric, circuit: &fabric::CircuitView<'_>) -> CircuitView {
        let network = fabric.network();
        let links = circuit.path.links().iter();
        CircuitView {
            id: CircuitId::from_wire(circuit.names.circuit.as_str()),
            client: circuit.right.client.clone(),
            service: circuit.right.service.clone(),
            terminator: circuit.target.map(|target| target.terminator.clone()),
            path: CircuitPath {
                routers: routers(network, circuit.path.routers()),
                links: links.map(|link| LinkId::from_wire(link.as_str())).collect(),
            },
            created_at: self.time(circuit.created),
            tags: Arc::clone(circuit.tags),
        }
    }

    fn time(&self, moment: Moment) -> Timestamp {
        plane::wall_time(&self.env, self.clock, moment)
    }
}

fn routers(network: &Network, routers: &[RouterSlot]) -> Vec<RouterId> {
    let ids = routers.iter();
    ids.filter_map(|router| network.router_id(*router).cloned())
        .collect()
}

fn link_view(network: &Network, link: &fabric::Link) -> Option<LinkView> {
    let connections = link.connections.list.iter();
    Some(LinkView {
        id: LinkId::from_wire(link.id.as_str()),
        source: network.router_id(link.source)?.clone(),
        destination: network.router_id(link.destination)?.clone(),
        protocol: link.protocol.clone(),
        dial_address: link.dial_address.clone(),
        iteration: link.iteration,
        static_cost: link.static_cost,
        source_latency: link.source_latency,
        destination_latency: link.destination_latency,
        cost: link.cost(),
        is_down: link.is_down,
        connections: connections
            .map(|connection| LinkConnection {
                kind: connection.kind.clone(),
                local_address: connection.local_address.clone(),
                remote_address: connection.remote_address.clone(),
            })
            .collect(),
    })
}
