//! The end of circuits.

use super::Fabric;
use crate::CircuitId;
use crate::circuits::{
    Action, Circuit, CircuitEvent, Course, DialFailure, EndReason, FailureCause, Right, State,
    Target,
};
use portcullis_channel::Moment;
use portcullis_domain::ids::ServiceId;

impl Fabric {
    /// Removes a circuit; false if it is unknown. With `now`, what is on its way is lost.
    pub fn remove_circuit(&mut self, id: &CircuitId, now: bool) -> bool {
        let circuit = self.circuits.take(id);
        let is_known = circuit.is_some();
        if let Some(circuit) = circuit {
            self.end(circuit, EndReason::Removed, now);
        }
        is_known
    }

    /// Ends a circuit, open or being dialed, because its right has ended; false if it is unknown.
    pub fn revoke_circuit(&mut self, id: &CircuitId) -> bool {
        let is_known = self.circuits.get(id).is_some();
        self.end_one(id, EndReason::RightEnded);
        is_known
    }

    /// Removes a service and its circuits.
    pub fn remove_service(&mut self, id: &ServiceId) {
        self.services.remove(id);
        let circuits = self.circuits.find(|circuit| circuit.right.service == *id);
        self.end_all(circuits, EndReason::ServiceRemoved);
    }

    /// Ends all circuits that may not stay, at once. To be called when rights may have ended, with a
    /// judgement of what allows a circuit and of where it ends (`None` if that is not known).
    pub fn retain_circuits(&mut self, mut may_stay: impl FnMut(&Right, Option<&Target>) -> bool) {
        let circuits = self.circuits.find(|circuit| {
            let view = circuit.view();
            !may_stay(view.right, view.target)
        });
        self.end_all(circuits, EndReason::RightEnded);
        self.retain_claims(may_stay);
    }

    pub(super) fn end_all(&mut self, circuits: Vec<CircuitId>, reason: EndReason) {
        for id in circuits {
            self.end_one(&id, reason);
        }
    }

    pub(super) fn end_one(&mut self, id: &CircuitId, reason: EndReason) {
        if let Some(circuit) = self.circuits.take(id) {
            self.end(circuit, reason, true);
        }
    }

    /// Ends a circuit that was taken out of the table.
    pub(super) fn end(&mut self, circuit: Circuit, reason: EndReason, now: bool) {
        self.unroute(circuit.carriers(), circuit.id(), now);
        self.adoption.note_end(circuit.id());
        if let State::Dialing(dialing) = circuit.state {
            let cause = cause(reason);
            self.actions.push_back(Action::Answer {
                to: dialing.dial.from,
                dial: dialing.dial.id,
                circuit: circuit.names.circuit.clone(),
                result: Err(DialFailure {
                    cause,
                    text: String::new(),
                }),
            });
            let course = Course {
                path: circuit.path,
                target: dialing.target,
                addresses: circuit.addresses,
                cost: circuit.cost,
            };
            let tried = (&dialing.dial, &circuit.names);
            self.announce_failure(tried, circuit.created, Some(course), cause);
            return;
        }
        if let Some(target) = &circuit.target {
            self.terminators.close(&target.terminator);
        }
        let circuit = circuit.snapshot();
        self.announce(CircuitEvent::Ended { circuit, reason });
    }

    /// Handles the deadline of a circuit.
    pub(super) fn expire(&mut self, id: &CircuitId, now: Moment) {
        let Some(circuit) = self.circuits.take(id) else {
            return;
        };
        if circuit.right.until.is_some_and(|until| until <= now) {
            self.end(circuit, EndReason::RightEnded, true);
            return;
        }
        match circuit.state {
            State::Dialing(_) => self.retry(circuit, FailureCause::Timeout, String::new(), now),
            State::Rerouting(_) => self.retry_reroute(circuit, now),
            State::Stranded(_) => self.end(circuit, EndReason::NoPath, true),
            // Has no deadline but that of its right.
            State::Open => self.circuits.put(circuit),
        }
    }
}

/// What the end of a circuit means for whoever is dialing it.
const fn cause(reason: EndReason) -> FailureCause {
    match reason {
        EndReason::RightEnded => FailureCause::RightEnded,
        EndReason::ServiceRemoved => FailureCause::InvalidService,
        EndReason::Closed
        | EndReason::Removed
        | EndReason::Idle
        | EndReason::NoPath
        | EndReason::RouterLost
        | EndReason::RerouteFailed => FailureCause::Cancelled,
    }
}
