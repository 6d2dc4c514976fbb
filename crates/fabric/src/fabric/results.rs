//! Answers to routes.

use super::Fabric;
use crate::circuits::{
    Action, Circuit, CircuitEvent, Established, FailureCause, RouteErrorCode, RouteFailure,
    RouteResult, State, Target,
};
use crate::{PeerData, RouterSession};
use portcullis_channel::Moment;
use portcullis_domain::identity::Precedence;
use std::sync::Arc;

/// The host's public key, in peer data.
const HOST_KEY: u32 = 1003;
/// Least number of peer data; those below belong to the messages between routers and controller.
const MIN_PEER_DATA: u32 = 1000;
/// Numbers that say how a route went, and addresses that clients have no business with.
const NOT_FOR_CLIENTS: [u32; 6] = [1101, 1102, 1103, 1104, 1110, 1111];

impl Fabric {
    /// Handles the answer to a route. A router that is not on the circuit's path is told to forget it.
    pub fn handle_route_result(&mut self, from: RouterSession, result: RouteResult, now: Moment) {
        if !self.network.is_current(from) {
            return;
        }
        let RouteResult {
            route,
            circuit: id,
            outcome,
        } = result;
        let Some(mut circuit) = self.circuits.take(&id) else {
            self.send_unroute(from, id, true);
            return;
        };
        let is_expected = match &mut circuit.state {
            State::Dialing(dialing) => dialing.pending.answer(from, route),
            State::Rerouting(rerouting) => rerouting.pending.answer(from, route),
            State::Open | State::Stranded(_) => false,
        };
        if !is_expected {
            if circuit.carriers().contains(&from.router()) {
                circuit.is_doubtful |= outcome.is_ok();
            } else {
                self.send_unroute(from, id, true);
            }
            self.keep(circuit, now);
            return;
        }
        match (outcome, &circuit.state) {
            (Ok(peer_data), State::Dialing(_)) => {
                self.handle_success(circuit, from, peer_data, now);
            },
            (Ok(_), _) => self.handle_reroute_success(circuit, now),
            (Err(failure), State::Dialing(_)) => {
                self.handle_failure(circuit, from, failure, now);
            },
            (Err(_), _) => self.retry_reroute(circuit, now),
        }
    }

    fn handle_success(
        &mut self,
        mut circuit: Circuit,
        from: RouterSession,
        peer_data: PeerData,
        now: Moment,
    ) {
        let State::Dialing(dialing) = &mut circuit.state else {
            return;
        };
        if dialing.chosen.path.last() == Some(from.router()) {
            dialing.peer_data.extend(peer_data);
        }
        if dialing.pending.waiting.is_empty() {
            self.finish_dial(circuit, now);
        } else {
            self.circuits.put(circuit);
        }
    }

    fn finish_dial(&mut self, mut circuit: Circuit, now: Moment) {
        let State::Dialing(dialing) = &mut circuit.state else {
            return;
        };
        let mut peer_data = std::mem::take(&mut dialing.peer_data);
        let addresses = circuit.addresses.with_terminator(&peer_data);
        peer_data.retain(|key, _| *key >= MIN_PEER_DATA && !NOT_FOR_CLIENTS.contains(key));
        let service = self.services.get(&circuit.right.service);
        let needs_key = service.is_some_and(|service| service.encryption_required);
        if needs_key && !peer_data.contains_key(&HOST_KEY) {
            self.retry(circuit, FailureCause::NoHostKey, String::new(), now);
            return;
        }
        let target = dialing.target.clone();
        self.actions.push_back(Action::Answer {
            to: dialing.dial.from,
            dial: dialing.dial.id,
            circuit: circuit.names.circuit.clone(),
            result: Ok(Established {
                ingress: circuit.names.ingress.clone(),
                terminator: target.terminator.clone(),
                host: target.host.clone(),
                binding: target.binding.clone(),
                peer_data,
            }),
        });
        self.terminators.succeed(&target.terminator, now);
        self.terminators.open(&target.terminator);
        circuit.target = Some(target);
        circuit.addresses = Arc::new(addresses);
        circuit.state = State::Open;
        circuit.settled = now;
        self.announce(CircuitEvent::Created(circuit.snapshot()));
        self.keep(circuit, now);
    }

    /// Puts a circuit back. If it is open and its routes are doubtful, they are sent again.
    pub(super) fn keep(&mut self, mut circuit: Circuit, now: Moment) {
        if matches!(circuit.state, State::Open) && circuit.is_doubtful {
            circuit.is_doubtful = false;
            self.reroute(circuit, now);
        } else {
            self.circuits.put(circuit);
        }
    }

    fn handle_failure(
        &mut self,
        circuit: Circuit,
        from: RouterSession,
        failure: RouteFailure,
        now: Moment,
    ) {
        if let State::Dialing(dialing) = &circuit.state
            && failure.code == RouteErrorCode::InvalidTerminator
            && dialing.chosen.path.last() == Some(from.router())
        {
            let target = dialing.target.clone();
            self.give_up_terminator(&target);
        }
        let cause = FailureCause::Router(failure.code);
        self.retry(circuit, cause, failure.text, now);
    }

    /// Its own router does not know the terminator.
    fn give_up_terminator(&mut self, target: &Target) {
        let id = target.terminator.clone();
        if matches!(target.binding.as_str(), "edge" | "tunnel") {
            self.terminators.remove(&id);
            self.actions
                .push_back(Action::DeleteTerminator { terminator: id });
        } else if let Some(terminator) = self.terminators.get(&id) {
            let mut degraded = terminator.clone();
            degraded.precedence = Precedence::Failed;
            self.terminators.set(degraded);
            self.actions
                .push_back(Action::DegradeTerminator { terminator: id });
        }
    }
}
