//! What routers report about circuits: closed ends, data without a way, circuits without data.

use super::Fabric;
use crate::circuits::{
    Circuit, CircuitFault, EndReason, FailureCause, ForwardFault, RouteErrorCode, State,
};
use crate::{CircuitId, RouterSession};
use portcullis_channel::Moment;
use std::time::Duration;

/// How many forward faults a circuit survives within [`FORWARD_FAULT_TIME`].
const MAX_FORWARD_FAULTS: u32 = 3;
const FORWARD_FAULT_TIME: Duration = Duration::from_mins(1);

impl Fabric {
    /// Handles the end of one end of a circuit, which only the router of that end can report.
    pub fn handle_circuit_fault(
        &mut self,
        from: RouterSession,
        id: &CircuitId,
        fault: CircuitFault,
        now: Moment,
    ) {
        if !self.network.is_current(from) {
            return;
        }
        let Some(circuit) = self.circuits.take(id) else {
            self.close_unclaimed(from, id);
            return;
        };
        let path = circuit.newest_path();
        let end = match fault {
            CircuitFault::Ingress => path.first(),
            CircuitFault::Egress => path.last(),
        };
        if end != Some(from.router()) {
            self.circuits.put(circuit);
            return;
        }
        match (&circuit.state, fault) {
            (State::Dialing(dialing), CircuitFault::Egress) => {
                if dialing.pending.awaits(from) {
                    // Of an earlier attempt: the answer to this one is still to come.
                    self.circuits.put(circuit);
                } else {
                    let cause = FailureCause::Router(RouteErrorCode::Generic);
                    self.retry(circuit, cause, String::new(), now);
                }
            },
            (State::Dialing(_), CircuitFault::Ingress) => {
                self.end(circuit, EndReason::Closed, true);
            },
            (State::Open | State::Rerouting(_) | State::Stranded(_), _) => {
                self.end(circuit, EndReason::Closed, false);
            },
        }
    }

    /// Handles circuits whose data a router could not forward.
    pub fn handle_forward_fault(
        &mut self,
        from: RouterSession,
        circuits: Vec<CircuitId>,
        fault: ForwardFault,
        now: Moment,
    ) {
        if !self.network.is_current(from) {
            return;
        }
        for id in circuits {
            match self.circuits.take(&id) {
                Some(circuit) if !circuit.carriers().contains(&from.router()) => {
                    self.note_orphan(from, &id, now);
                    self.send_unroute(from, id, true);
                    self.circuits.put(circuit);
                },
                Some(circuit) => self.mend(circuit, now),
                // One that may be adopted is mended then.
                None if fault == ForwardFault::UnknownOwner
                    || self.may_be_adopted(&id, from.router()) => {},
                None => {
                    self.note_orphan(from, &id, now);
                    self.send_unroute(from, id, true);
                },
            }
        }
    }

    /// Gives an open circuit its routes again, on the best path, unless that has not helped before.
    pub(super) fn mend(&mut self, mut circuit: Circuit, now: Moment) {
        if !matches!(circuit.state, State::Open) {
            self.circuits.put(circuit);
            return;
        }
        let (count, since) = &mut circuit.forward_faults;
        if now.since(*since) > FORWARD_FAULT_TIME {
            (*count, *since) = (0, now);
        }
        *count += 1;
        if *count > MAX_FORWARD_FAULTS {
            self.end(circuit, EndReason::RerouteFailed, true);
        } else {
            self.reroute(circuit, now);
        }
    }

    /// Handles circuits that a router carries and that nobody has used for some time.
    pub fn handle_idle(&mut self, from: RouterSession, circuits: Vec<(CircuitId, Duration)>) {
        if !self.network.is_current(from) {
            return;
        }
        for (id, idle) in circuits {
            let Some(circuit) = self.circuits.get(&id) else {
                if !self.may_be_adopted(&id, from.router()) {
                    self.send_unroute(from, id, true);
                }
                continue;
            };
            if !circuit.carriers().contains(&from.router()) {
                self.send_unroute(from, id, true);
                continue;
            }
            let service = self.services.get(&circuit.right.service);
            let max_idle = service.and_then(|service| service.max_idle);
            let is_too_long = max_idle.is_some_and(|max| idle > max);
            if is_too_long && circuit.is_end(from.router()) {
                self.end_one(&id, EndReason::Idle);
            }
        }
    }
}
