//! Dialing: from a request to routes.

use super::Fabric;
use crate::circuits::{
    Action, Circuit, CircuitEvent, CircuitNames, Course, Dial, DialFailure, Dialing, Egress,
    EndAddresses, FailedAttempt, FailureCause, Pending, Route, RouteId, State, Target, forwards,
};
use crate::{Choice, Chosen, Path, PeerData, RouterSlot};
use portcullis_channel::Moment;
use portcullis_domain::ids::TerminatorId;
use portcullis_domain::service::TerminatorStrategy;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Peer data for clients that want the same terminator again.
const STICKINESS_TOKEN: u32 = 1114;

/// A chosen terminator, and what is kept of it.
pub(super) struct Destination {
    chosen: Chosen,
    target: Arc<Target>,
    peer_data: PeerData,
}

impl Fabric {
    /// Handles the request for a circuit, which has been judged. The answer is an
    /// [`Action::Answer`]; there is none if the session has ended.
    pub fn dial(&mut self, dial: Dial, now: Moment) {
        if !self.network.is_current(dial.from) {
            return;
        }
        let destination = self
            .admit(&dial)
            .and_then(|()| self.find_destination(&dial, 0, &[], now))
            .and_then(|destination| self.admit_to(destination));
        match destination {
            Ok(destination) => self.start(dial, destination, now),
            Err(cause) => {
                self.announce_failure((&dial, &dial.names), now, None, cause);
                let text = String::new();
                self.refuse_dial(&dial, DialFailure { cause, text });
            },
        }
    }

    fn admit(&self, dial: &Dial) -> Result<(), FailureCause> {
        let service = &dial.right.service;
        if !self.services.contains_key(service) {
            return Err(FailureCause::InvalidService);
        }
        if self.circuits.get(&dial.names.circuit).is_some() {
            return Err(FailureCause::NamesInUse);
        }
        let router = dial.from.router();
        let is_full = self.circuits.count_at(router) >= self.options.max_circuits_per_router
            || self.circuits.count_of(service) >= self.options.max_circuits_per_service;
        if is_full {
            return Err(FailureCause::TooManyCircuits);
        }
        Ok(())
    }

    /// Refuses a dial if a router of its path has too many others to answer.
    fn admit_to(&self, destination: Destination) -> Result<Destination, FailureCause> {
        let max = self.options.max_dials_per_router;
        let mut routers = destination.chosen.path.routers().iter();
        if routers.any(|router| self.circuits.dials_at(*router) >= max) {
            return Err(FailureCause::TooManyDials);
        }
        Ok(destination)
    }

    fn find_destination(
        &self,
        dial: &Dial,
        attempt: u32,
        failed: &[TerminatorId],
        now: Moment,
    ) -> Result<Destination, FailureCause> {
        let service = self.services.get(&dial.right.service);
        let service = service.ok_or(FailureCause::InvalidService)?;
        let choice = Choice {
            service: &dial.right.service,
            instance: &dial.instance,
            from: dial.from.router(),
            strategy: service.strategy,
            sticky: dial.sticky.as_ref(),
            failed,
            random: dial.random.rotate_left(attempt.wrapping_mul(31)),
        };
        let chosen = self
            .terminators
            .choose(&choice, &self.network, now)
            .map_err(FailureCause::Choice)?;
        let terminator = self
            .terminators
            .get(&chosen.terminator)
            .ok_or(FailureCause::InvalidService)?;
        let target = Target {
            terminator: terminator.id.clone(),
            host: terminator.host.clone(),
            binding: terminator.binding.clone(),
            address: terminator.address.clone(),
            instance: terminator.instance.clone(),
        };
        let mut peer_data = terminator.peer_data.as_ref().clone();
        if service.strategy == TerminatorStrategy::Sticky {
            let token = terminator.id.as_str().as_bytes().to_vec();
            peer_data.insert(STICKINESS_TOKEN, token);
        }
        Ok(Destination {
            chosen,
            target: Arc::new(target),
            peer_data,
        })
    }

    fn start(&mut self, dial: Dial, destination: Destination, now: Moment) {
        let mut circuit = Circuit {
            names: dial.names.clone(),
            right: dial.right.clone(),
            tags: dial.tags.clone(),
            target: None,
            path: destination.chosen.path.clone(),
            addresses: Arc::new(EndAddresses::of_initiator(&dial.peer_data)),
            cost: destination.chosen.cost,
            state: State::Open,
            created: now,
            settled: now,
            is_doubtful: false,
            forward_faults: (0, now),
        };
        self.send_attempt(&mut circuit, (dial, 0, Vec::new()), destination, now);
        self.circuits.put(circuit);
    }

    fn send_attempt(
        &mut self,
        circuit: &mut Circuit,
        (dial, attempt, failed): (Dial, u32, Vec<TerminatorId>),
        destination: Destination,
        now: Moment,
    ) {
        let Destination {
            chosen,
            target,
            peer_data,
        } = destination;
        circuit.names = dial.names.of_attempt(attempt);
        let egress = Egress::new(&target, &circuit.names, dial.peer_data.clone());
        let pending = self.send_routes(circuit, &chosen.path, attempt, Some(egress), now);
        circuit.path = chosen.path.clone();
        circuit.cost = chosen.cost;
        circuit.state = State::Dialing(Box::new(Dialing {
            dial,
            attempt,
            chosen,
            target,
            pending,
            failed,
            peer_data,
        }));
    }

    /// Sends a route to each router of a path; all of them are connected.
    pub(super) fn send_routes(
        &mut self,
        circuit: &Circuit,
        path: &Path,
        attempt: u32,
        mut egress: Option<Egress>,
        now: Moment,
    ) -> Pending {
        let timeout = self.options.route_timeout;
        let mut waiting = Vec::new();
        for (router, forwards) in forwards(path, &circuit.names) {
            let Some(to) = self.network.session(router) else {
                continue;
            };
            let route = Route {
                circuit: circuit.id().clone(),
                attempt,
                // The last router comes first.
                egress: egress.take(),
                forwards,
                timeout,
                tags: circuit.tags.clone(),
            };
            self.routes += 1;
            let id = RouteId(self.routes);
            self.actions.push_back(Action::Route { to, id, route });
            waiting.push((to, id));
        }
        Pending {
            waiting,
            until: now + timeout,
        }
    }

    /// An attempt has failed: the next one, or the end of the dial.
    pub(super) fn retry(
        &mut self,
        mut circuit: Circuit,
        cause: FailureCause,
        text: String,
        now: Moment,
    ) {
        let State::Dialing(dialing) = circuit.state else {
            return;
        };
        let Dialing {
            dial,
            attempt,
            chosen,
            target,
            mut failed,
            ..
        } = *dialing;
        if !matches!(cause, FailureCause::LinkLost | FailureCause::RouterLost) {
            self.terminators.fail(&target.terminator, now);
        }
        failed.push(target.terminator.clone());
        let course = Course {
            path: chosen.path.clone(),
            target,
            addresses: circuit.addresses.clone(),
            cost: chosen.cost,
        };
        let tried = (&dial, &circuit.names);
        self.announce_failure(tried, circuit.created, Some(course), cause);
        let attempt = attempt + 1;
        let next = self.find_another(&dial, attempt, &failed, DialFailure { cause, text }, now);
        circuit.state = State::Open;
        match next {
            Ok(next) => {
                let mut left = left_behind(&chosen.path, &[&next.chosen.path]);
                // It may have dialed, or still be about to, and may be dialed again.
                left.extend(chosen.path.last());
                self.unroute(left, circuit.id(), true);
                self.send_attempt(&mut circuit, (dial, attempt, failed), next, now);
                self.circuits.put(circuit);
            },
            Err(failure) => {
                self.unroute(circuit.carriers(), circuit.id(), true);
                self.adoption.note_end(circuit.id());
                self.refuse_dial(&dial, failure);
            },
        }
    }

    /// Where to dial after an attempt that has failed. If there is nothing else, the dial fails as that one.
    fn find_another(
        &self,
        dial: &Dial,
        attempt: u32,
        failed: &[TerminatorId],
        failure: DialFailure,
        now: Moment,
    ) -> Result<Destination, DialFailure> {
        if attempt >= self.options.attempts {
            return Err(failure);
        }
        let Ok(next) = self.find_destination(dial, attempt, failed, now) else {
            return Err(failure);
        };
        // There is more to try, but not now.
        self.admit_to(next).map_err(|cause| DialFailure {
            cause,
            text: format!("another attempt has failed before: {failure}"),
        })
    }

    /// Lets those who watch know of an attempt that has failed; `began` is when the circuit was asked for.
    pub(super) fn announce_failure(
        &mut self,
        (dial, names): (&Dial, &CircuitNames),
        began: Moment,
        course: Option<Course>,
        cause: FailureCause,
    ) {
        let attempt = Box::new(FailedAttempt {
            names: names.clone(),
            right: dial.right.clone(),
            instance: dial.instance.clone(),
            course,
            tags: dial.tags.clone(),
            began,
        });
        self.announce(CircuitEvent::Failed { attempt, cause });
    }

    fn refuse_dial(&mut self, dial: &Dial, failure: DialFailure) {
        self.actions.push_back(Action::Answer {
            to: dial.from,
            dial: dial.id,
            circuit: dial.names.circuit.clone(),
            result: Err(failure),
        });
    }
}

/// Routers of a path that are on none of the others.
pub(super) fn left_behind(path: &Path, others: &[&Path]) -> BTreeSet<RouterSlot> {
    let routers = path.routers().iter().copied();
    routers
        .filter(|router| !others.iter().any(|other| other.passes(*router)))
        .collect()
}
