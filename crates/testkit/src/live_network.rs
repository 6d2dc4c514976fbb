//! A network that is as a test says.

use parking_lot::Mutex;
use portcullis_app::{LiveNetwork, NetworkCounts};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{CircuitId, IdentityId, LinkId, RouterId, ServiceId, TerminatorId};
use portcullis_domain::view::{
    CircuitPath, CircuitView, EdgeRouterConnection, LinkChange, LinkConnection, LinkView,
    RouterConnection,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

/// Routers, links and circuits without a control channel.
#[derive(Debug, Default)]
pub struct FakeNetwork(Mutex<Content>);

#[derive(Debug, Default)]
struct Content {
    routers: BTreeMap<RouterId, RouterConnection>,
    links: BTreeMap<LinkId, LinkView>,
    circuits: BTreeMap<CircuitId, CircuitView>,
    dynamic_costs: BTreeMap<TerminatorId, u16>,
    online_identities: BTreeSet<IdentityId>,
    removals: Vec<Removal>,
}

/// What was asked to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// A link, whether there was one or not.
    Link(LinkId),
    Circuit {
        id: CircuitId,
        immediate: bool,
    },
}

impl FakeNetwork {
    pub fn set_router(&self, id: &str, connection: RouterConnection) {
        self.0
            .lock()
            .routers
            .insert(RouterId::from_wire(id), connection);
    }

    pub fn set_link(&self, link: LinkView) {
        self.0.lock().links.insert(link.id.clone(), link);
    }

    pub fn set_circuit(&self, circuit: CircuitView) {
        self.0.lock().circuits.insert(circuit.id.clone(), circuit);
    }

    pub fn set_dynamic_cost(&self, terminator: &str, cost: u16) {
        let id = TerminatorId::from_wire(terminator);
        self.0.lock().dynamic_costs.insert(id, cost);
    }

    /// Connects an identity to an edge router.
    pub fn set_identity_online(&self, id: &str) {
        let id = IdentityId::from_wire(id);
        self.0.lock().online_identities.insert(id);
    }

    /// What was asked to be removed, in order.
    pub fn removals(&self) -> Vec<Removal> {
        self.0.lock().removals.clone()
    }

    /// A link with one connection and costs of 1 + 2 + 3.
    pub fn link(id: &str, source: &str, destination: &str) -> LinkView {
        LinkView {
            id: LinkId::from_wire(id),
            source: RouterId::from_wire(source),
            destination: RouterId::from_wire(destination),
            protocol: "tls".to_owned(),
            dial_address: "tls:router.example:6262".to_owned(),
            iteration: 1,
            static_cost: 1,
            source_latency: Duration::from_millis(2),
            destination_latency: Duration::from_millis(3),
            cost: 6,
            is_down: false,
            connections: vec![LinkConnection {
                kind: "link.default".to_owned(),
                local_address: "tcp:192.0.2.1:50000".to_owned(),
                remote_address: "tcp:192.0.2.2:6262".to_owned(),
            }],
        }
    }

    /// A circuit over the given routers, with links called `a-b` between routers `a` and `b`.
    pub fn circuit(id: &str, (client, service): (&str, &str), routers: &[&str]) -> CircuitView {
        let pairs = routers.iter().zip(routers.iter().skip(1));
        CircuitView {
            id: CircuitId::from_wire(id),
            client: IdentityId::from_wire(client),
            service: ServiceId::from_wire(service),
            terminator: Some(TerminatorId::from_wire(format!("terminator-{id}"))),
            path: CircuitPath {
                routers: routers.iter().map(|id| RouterId::from_wire(*id)).collect(),
                links: pairs
                    .map(|(from, to)| LinkId::from_wire(format!("{from}-{to}")))
                    .collect(),
            },
            created_at: Timestamp::UNIX_EPOCH,
            tags: Arc::default(),
        }
    }
}

impl LiveNetwork for FakeNetwork {
    fn router(&self, id: &RouterId) -> RouterConnection {
        self.0.lock().routers.get(id).cloned().unwrap_or_default()
    }

    fn online_routers(&self) -> Vec<RouterId> {
        let content = self.0.lock();
        let online = content.routers.iter();
        online
            .filter(|(_, connection)| connection.is_online())
            .map(|(id, _)| id.clone())
            .collect()
    }

    fn counts(&self) -> NetworkCounts {
        let routers = self.online_routers().len();
        let content = self.0.lock();
        NetworkCounts {
            routers,
            links: content.links.len(),
            circuits: content.circuits.len(),
        }
    }

    fn links(&self) -> Vec<LinkView> {
        self.0.lock().links.values().cloned().collect()
    }

    fn link(&self, id: &LinkId) -> Option<LinkView> {
        self.0.lock().links.get(id).cloned()
    }

    fn change_link(&self, id: &LinkId, change: LinkChange) -> bool {
        let mut content = self.0.lock();
        let Some(link) = content.links.get_mut(id) else {
            return false;
        };
        if let Some(cost) = change.static_cost {
            link.cost = link.cost - link.static_cost + cost;
            link.static_cost = cost;
        }
        link.is_down = change.is_down.unwrap_or(link.is_down);
        true
    }

    fn remove_link(&self, id: &LinkId) -> bool {
        let mut content = self.0.lock();
        content.removals.push(Removal::Link(id.clone()));
        content.links.remove(id).is_some()
    }

    fn circuits_after(&self, after: Option<&CircuitId>, count: usize) -> Vec<CircuitView> {
        let content = self.0.lock();
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let rest = content
            .circuits
            .range::<CircuitId, _>((start, Bound::Unbounded));
        rest.take(count)
            .map(|(_, circuit)| circuit.clone())
            .collect()
    }

    fn circuit(&self, id: &CircuitId) -> Option<CircuitView> {
        self.0.lock().circuits.get(id).cloned()
    }

    fn remove_circuit(&self, id: &CircuitId, immediate: bool) -> bool {
        let mut content = self.0.lock();
        let id = id.clone();
        let is_known = content.circuits.remove(&id).is_some();
        content.removals.push(Removal::Circuit { id, immediate });
        is_known
    }

    fn dynamic_cost(&self, terminator: &TerminatorId) -> u16 {
        let content = self.0.lock();
        content
            .dynamic_costs
            .get(terminator)
            .copied()
            .unwrap_or_default()
    }

    fn identity_connection(&self, id: &IdentityId) -> EdgeRouterConnection {
        if self.0.lock().online_identities.contains(id) {
            EdgeRouterConnection::Online
        } else {
            EdgeRouterConnection::Offline
        }
    }
}
