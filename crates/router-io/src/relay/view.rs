//! Circuits of a router, for inspections and traces.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use portcullis_forwarding::CircuitView;
use portcullis_router::edge::{ControllerId, Dialed};

use super::{Destination, Relay};
use crate::circuit_note::{self, CircuitNote};
use crate::sdk_channels::SdkEnd;

/// A circuit, as a router carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CarriedCircuit {
    pub(crate) circuit: String,
    pub(crate) owner: ControllerId,
    /// Give or take a tenth of a second.
    pub(crate) idle: Duration,
    /// Source and destination addresses.
    pub(crate) forwards: Vec<(String, String)>,
    /// Whether it only goes on until nothing passes any more.
    pub(crate) is_unrouted: bool,
    /// What the controller says of it, such as whose it is.
    pub(crate) tags: BTreeMap<String, String>,
}

impl Relay {
    /// How many circuits are carried.
    pub(crate) fn circuit_count(&self) -> usize {
        self.forwarder.read().len()
    }

    /// Circuits, as many as are wanted at most, in any order.
    pub(crate) fn circuits(&self, most: usize) -> Vec<CarriedCircuit> {
        let now = self.clock.moment();
        let forwarder = self.forwarder.read();
        let views = forwarder.circuits(now).take(most);
        views.map(CarriedCircuit::from).collect()
    }

    /// The ends of circuits at SDKs, with their addresses, as many as are wanted at most, in any order.
    pub(crate) fn sdk_ends(&self, most: usize) -> Vec<(CarriedCircuit, String, SdkEnd)> {
        let now = self.clock.moment();
        let forwarder = self.forwarder.read();
        let mut ends = Vec::new();
        for view in forwarder.circuits(now) {
            for (_, address) in &view.forwards {
                let found = forwarder.find(address);
                let Some(end) = found.and_then(|(_, destination)| destination.sdk_end()) else {
                    continue;
                };
                if ends.len() >= most {
                    return ends;
                }
                ends.push((view.clone().into(), (*address).to_owned(), end));
            }
        }
        ends
    }

    pub(crate) fn circuit(&self, circuit: &str) -> Option<CarriedCircuit> {
        let now = self.clock.moment();
        let forwarder = self.forwarder.read();
        forwarder.circuit(circuit, now).map(CarriedCircuit::from)
    }

    /// Tells of a circuit that a client has dialed, if it is traced: its route has come before the controller's
    /// answer.
    pub(crate) fn log_dialed(&self, dialed: &Dialed, client: &str) {
        let forwarder = self.forwarder.read();
        let note = forwarder.note(dialed.end.circuit.as_str());
        let trace = note.and_then(CircuitNote::trace_of_choice);
        drop(forwarder);
        if let Some(trace) = trace {
            circuit_note::log_dialed(trace.trace(), dialed, client);
        }
    }

    /// What a circuit leads to at this router and is attached, links and ends, with their addresses.
    pub(crate) fn destinations_of(&self, circuit: &str) -> Vec<(String, Arc<dyn Destination>)> {
        let now = self.clock.moment();
        let forwarder = self.forwarder.read();
        let Some(view) = forwarder.circuit(circuit, now) else {
            return Vec::new();
        };
        let mut addresses: Vec<_> = view.forwards.iter().map(|(_, to)| *to).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let attached = addresses.into_iter().filter_map(|address| {
            let (_, destination) = forwarder.find(address)?;
            Some((address.to_owned(), Arc::clone(destination)))
        });
        attached.collect()
    }
}

type View<'a> = CircuitView<'a, ControllerId, CircuitNote>;

impl From<View<'_>> for CarriedCircuit {
    fn from(view: View<'_>) -> Self {
        let forwards = view.forwards.iter();
        let forwards = forwards.map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
        Self {
            circuit: view.circuit.to_owned(),
            owner: view.owner.clone(),
            idle: view.idle,
            forwards: forwards.collect(),
            is_unrouted: view.is_unrouted,
            tags: view.note.usage.tags(),
        }
    }
}
