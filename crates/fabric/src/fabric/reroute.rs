//! Other paths for circuits that are open.

use super::Fabric;
use super::dial::left_behind;
use crate::Path;
use crate::circuits::{
    Circuit, CircuitEvent, Egress, EndReason, REROUTE_ATTEMPT, Rerouting, State,
};
use portcullis_channel::Moment;
use std::sync::Arc;

/// How often another path is tried before a circuit is given up.
const ATTEMPTS: u32 = 2;

impl Fabric {
    /// Moves an open circuit to the cheapest path between its ends. If there is none, it waits.
    pub(super) fn reroute(&mut self, circuit: Circuit, now: Moment) {
        self.start_reroute(circuit, 0, now);
    }

    fn start_reroute(&mut self, mut circuit: Circuit, attempt: u32, now: Moment) {
        if let Some(path) = self.cheapest_path(&circuit.path) {
            self.try_path(circuit, path, attempt, now);
            return;
        }
        if let State::Rerouting(rerouting) = &circuit.state {
            let left = left_behind(&rerouting.path, &[&circuit.path]);
            self.unroute(left, circuit.id(), true);
        }
        if !matches!(circuit.state, State::Stranded(_)) {
            circuit.state = State::Stranded(now + self.options.path_wait);
        }
        self.circuits.put(circuit);
    }

    /// The cheapest path between the ends of another.
    pub(super) fn cheapest_path(&self, path: &Path) -> Option<Path> {
        self.network
            .paths_from(path.first()?)?
            .path_to(path.last()?)
    }

    /// Sends routes for another path. The circuit keeps its old one until all routers have confirmed.
    pub(super) fn try_path(&mut self, mut circuit: Circuit, path: Path, attempt: u32, now: Moment) {
        // A router that is both ends would not know what the end is connected to.
        let egress = circuit
            .target
            .as_ref()
            .filter(|_| path.links().is_empty())
            .map(|target| Egress::new(target, &circuit.names, Arc::default()));
        let pending = self.send_routes(&circuit, &path, REROUTE_ATTEMPT, egress, now);
        if let State::Rerouting(rerouting) = &circuit.state {
            let left = left_behind(&rerouting.path, &[&path, &circuit.path]);
            self.unroute(left, circuit.id(), true);
        }
        circuit.state = State::Rerouting(Box::new(Rerouting {
            path,
            pending,
            attempt,
        }));
        self.circuits.put(circuit);
    }

    /// A router has confirmed its part of the other path.
    pub(super) fn handle_reroute_success(&mut self, mut circuit: Circuit, now: Moment) {
        let State::Rerouting(rerouting) = &mut circuit.state else {
            return;
        };
        if !rerouting.pending.waiting.is_empty() {
            self.circuits.put(circuit);
            return;
        }
        let path = rerouting.path.clone();
        let old = std::mem::replace(&mut circuit.path, path);
        circuit.state = State::Open;
        circuit.settled = now;
        let left = left_behind(&old, &[&circuit.path]);
        self.unroute(left, circuit.id(), true);
        if old != circuit.path {
            self.announce(CircuitEvent::PathChanged(circuit.snapshot()));
        }
        self.keep(circuit, now);
    }

    /// The other path has failed: the next one, or the end of the circuit.
    pub(super) fn retry_reroute(&mut self, circuit: Circuit, now: Moment) {
        let State::Rerouting(rerouting) = &circuit.state else {
            return;
        };
        let attempt = rerouting.attempt + 1;
        if attempt < ATTEMPTS {
            self.start_reroute(circuit, attempt, now);
        } else {
            self.end(circuit, EndReason::RerouteFailed, true);
        }
    }
}
