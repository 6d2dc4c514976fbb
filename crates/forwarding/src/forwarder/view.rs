//! Circuits as others see them.

use super::Forwarder;
use crate::circuit::Circuit;
use portcullis_channel::Moment;
use std::sync::Arc;
use std::time::Duration;

/// A circuit at a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitView<'a, C, N = ()> {
    pub circuit: &'a str,
    pub owner: &'a C,
    pub note: &'a N,
    /// How long it has been idle, give or take a tenth of a second.
    pub idle: Duration,
    /// Source and destination addresses.
    pub forwards: Vec<(&'a str, &'a str)>,
    /// Whether it only goes on until nothing passes any more.
    pub is_unrouted: bool,
}

impl<C: Clone, D, N> Forwarder<C, D, N> {
    /// A circuit.
    pub fn circuit(&self, id: &str, now: Moment) -> Option<CircuitView<'_, C, N>> {
        let (id, circuit) = self.circuits.get_key_value(id)?;
        Some(self.view(id, circuit, now))
    }

    /// All circuits, in any order.
    pub fn circuits(&self, now: Moment) -> impl Iterator<Item = CircuitView<'_, C, N>> {
        let views = self.circuits.iter();
        views.map(move |(id, circuit)| self.view(id, circuit, now))
    }

    /// Circuits that have been idle for long, in any order. Those that end soon are not among them.
    pub(crate) fn idle(&self, timeout: Duration, now: Moment) -> Vec<(C, Arc<str>, Duration)> {
        let circuits = self.circuits.iter();
        circuits
            .filter(|(_, circuit)| !circuit.is_unrouted)
            .map(|(id, circuit)| (id, circuit, now.since(circuit.last_active())))
            .filter(|(_, _, idle)| *idle > timeout)
            .map(|(id, circuit, idle)| (circuit.owner.clone(), id.clone(), idle))
            .collect()
    }

    fn view<'a>(
        &'a self,
        id: &'a str,
        circuit: &'a Circuit<C, N>,
        now: Moment,
    ) -> CircuitView<'a, C, N> {
        let address = |hop| self.hops.address(hop).unwrap_or_default();
        let forwards = circuit.forwards().iter();
        let forwards = forwards.map(|forward| (address(forward.from), address(forward.to)));
        CircuitView {
            circuit: id,
            owner: &circuit.owner,
            note: &circuit.note,
            idle: now.since(circuit.last_active()),
            forwards: forwards.collect(),
            is_unrouted: circuit.is_unrouted,
        }
    }
}
