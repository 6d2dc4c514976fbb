//! Circuits.

mod disagreement;
mod told;

pub use disagreement::{CircuitDisagreement, CircuitPlace};

use crate::answer::{Answer, Gap, NoAnswer};
use crate::comparison::{Compared, Comparison, Known, Router};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{CircuitId, ControllerId, RouterId};
use portcullis_wire::control::inspection::InspectResponse;
use portcullis_wire::management::{CircuitDetail, RouterCircuits};
use std::collections::{BTreeMap, BTreeSet};
use told::ToldCircuits;

/// What routers are asked for, all of it at once.
pub const CIRCUIT_INSPECTIONS: [&str; 3] = [told::FORWARDER, told::EDGE, told::SDK];

/// The kind of a destination whose payloads are numbered by an SDK.
const SDK_END: &str = "xg-edge-fwd";

/// A circuit as the controller knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownCircuit {
    /// The routers that it passes.
    pub path: Vec<RouterId>,
    pub since: Option<Timestamp>,
}

/// A circuit that one of the two has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedCircuit {
    pub circuit: CircuitId,
    /// Kind by address, of those that both have.
    pub destinations: BTreeMap<String, String>,
    pub disagreement: Option<CircuitDisagreement>,
}

impl Compared for ComparedCircuit {
    type Disagreement = CircuitDisagreement;

    fn disagreements(&self) -> &[CircuitDisagreement] {
        self.disagreement.as_slice()
    }
}

/// Compares the circuits of this controller that a router has with those that the controller knows, which may
/// be those of others as well.
pub fn compare_circuits(
    router: &Router,
    controller: &ControllerId,
    known: &Known<CircuitId, KnownCircuit>,
    answer: Answer<'_>,
) -> Comparison<ComparedCircuit> {
    let compared = if router.tells_circuits {
        answer.and_then(|answer| compare(router, controller, known, answer))
    } else {
        answer.map(|_answer| Default::default())
    };
    let (entries, gaps) = match compared {
        Ok((entries, gaps)) => (Ok(entries), gaps),
        Err(failure) => (Err(failure), Vec::new()),
    };
    Comparison {
        router: router.clone(),
        entries,
        gaps,
    }
}

/// A circuit that is being looked for.
#[derive(Default)]
struct Search {
    missing: BTreeSet<CircuitPlace>,
    destinations: BTreeMap<String, String>,
}

fn compare(
    router: &Router,
    controller: &ControllerId,
    known: &Known<CircuitId, KnownCircuit>,
    answer: &InspectResponse,
) -> Result<(Vec<ComparedCircuit>, Vec<Gap>), NoAnswer> {
    let told = ToldCircuits::read(answer, controller)?;
    let passing = known
        .iter()
        .filter(|(_, known)| known.path.contains(&router.id));
    let mut searches: BTreeMap<&str, Search> = passing
        .map(|(circuit, _)| (circuit.as_str(), missing_in([CircuitPlace::Forwarder])))
        .collect();
    for (circuit, destinations) in &told.forwarder {
        let Some(search) = searches.get_mut(circuit.as_str()) else {
            searches.insert(circuit, missing_in([CircuitPlace::Controller]));
            continue;
        };
        search.missing.remove(&CircuitPlace::Forwarder);
        if destinations.values().any(|kind| kind == SDK_END) {
            search
                .missing
                .extend([CircuitPlace::Edge, CircuitPlace::Sdk]);
        }
        search.destinations.clone_from(destinations);
    }
    let unknown = [CircuitPlace::Controller, CircuitPlace::Forwarder];
    for circuit in told.edge.keys() {
        let search = searches
            .entry(circuit)
            .or_insert_with(|| missing_in(unknown));
        search.missing.remove(&CircuitPlace::Edge);
    }
    for circuit in &told.sdk {
        let search = searches.entry(circuit).or_insert_with(|| {
            let mut search = missing_in(unknown);
            search.missing.insert(CircuitPlace::Edge);
            search
        });
        search.missing.remove(&CircuitPlace::Sdk);
    }
    let entries = searches.into_iter().map(|(circuit, mut search)| {
        search
            .missing
            .retain(|place| told.is_missing(*place, circuit));
        compared(CircuitId::from_wire(circuit), known, search)
    });
    let entries = entries.collect();
    Ok((entries, told.gaps))
}

fn missing_in(places: impl IntoIterator<Item = CircuitPlace>) -> Search {
    Search {
        missing: places.into_iter().collect(),
        destinations: BTreeMap::new(),
    }
}

fn compared(
    circuit: CircuitId,
    known: &Known<CircuitId, KnownCircuit>,
    search: Search,
) -> ComparedCircuit {
    let since = known.get(&circuit).and_then(|known| known.since);
    ComparedCircuit {
        disagreement: (!search.missing.is_empty()).then(|| CircuitDisagreement {
            circuit: circuit.clone(),
            missing_in: search.missing,
            since,
        }),
        circuit,
        destinations: search.destinations,
    }
}

impl From<&ComparedCircuit> for CircuitDetail {
    fn from(compared: &ComparedCircuit) -> Self {
        let is_missing = |place| {
            let disagreement = compared.disagreement.as_ref();
            disagreement.is_some_and(|found| found.missing_in.contains(&place))
        };
        Self {
            circuit_id: compared.circuit.as_str().to_owned(),
            is_missing_in_controller: is_missing(CircuitPlace::Controller),
            is_missing_in_forwarder: is_missing(CircuitPlace::Forwarder),
            is_missing_in_edge: is_missing(CircuitPlace::Edge),
            is_missing_in_sdk: is_missing(CircuitPlace::Sdk),
            destinations: compared.destinations.clone(),
        }
    }
}

impl From<&Comparison<ComparedCircuit>> for RouterCircuits {
    fn from(comparison: &Comparison<ComparedCircuit>) -> Self {
        let router = comparison.router.id.as_str();
        let (is_success, text) = comparison.outcome(&format!("router {router} is not connected"));
        let circuits = comparison.entries.iter().flatten();
        let circuits =
            circuits.map(|compared| (compared.circuit.as_str().to_owned(), compared.into()));
        Self {
            router_id: router.to_owned(),
            router_name: comparison.router.name.clone(),
            is_success,
            text,
            circuits: circuits.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
