//! The rights that circuits depend on.

use super::InUse;
use crate::translate;
use portcullis_app::rights::RightInUse;
use portcullis_domain::ids::IdentityId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_fabric::{CircuitId, CircuitView, Fabric, Network};

/// The rights that all circuits depend on.
pub(super) fn of_all(fabric: &Fabric) -> Vec<InUse> {
    let circuits = fabric.circuits();
    circuits
        .flat_map(|circuit| of_one(fabric.network(), &circuit))
        .collect()
}

/// The rights that some circuits depend on, of those that are still there.
pub(super) fn of_some<'c>(
    fabric: &Fabric,
    circuits: impl IntoIterator<Item = &'c CircuitId>,
) -> Vec<InUse> {
    let circuits = circuits.into_iter();
    circuits
        .filter_map(|id| fabric.circuit(id))
        .flat_map(|circuit| of_one(fabric.network(), &circuit))
        .collect()
}

/// The right of whoever has dialed, and that of the host.
fn of_one(network: &Network, circuit: &CircuitView<'_>) -> impl Iterator<Item = InUse> + use<> {
    let id = circuit.names.circuit.clone();
    let rights = [dialing(network, circuit), hosting(network, circuit)];
    let rights = rights.into_iter().flatten();
    rights.map(move |right| (id.clone(), right))
}

fn dialing(network: &Network, circuit: &CircuitView<'_>) -> Option<RightInUse> {
    Some(RightInUse {
        identity: circuit.right.client.clone(),
        service: circuit.right.service.clone(),
        grant: ServiceGrant::Dial,
        session: circuit.right.session.clone(),
        tokens: circuit.right.tokens.clone(),
        router: network.router_id(circuit.path.first()?)?.clone(),
    })
}

/// In which session somebody hosts is not known here; the terminator ends with it, and the router ends
/// the circuit.
fn hosting(network: &Network, circuit: &CircuitView<'_>) -> Option<RightInUse> {
    let host = match circuit.target {
        Some(target) if translate::is_hosted(&target.binding) => {
            IdentityId::from_wire(target.host.clone())
        },
        Some(_) => return None,
        // It was adopted.
        None => translate::host_of_tags(circuit.tags)?,
    };
    Some(RightInUse {
        identity: host,
        service: circuit.right.service.clone(),
        grant: ServiceGrant::Bind,
        session: None,
        tokens: Vec::new(),
        router: network.router_id(circuit.path.last()?)?.clone(),
    })
}
