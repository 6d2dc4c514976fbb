//! What controllers change.

use super::{EndedCircuit, Forwarder};
use crate::circuit::{Circuit, Forward};
use portcullis_channel::Moment;
use portcullis_wire::control::link::{Fault, FaultSubject};
use portcullis_wire::control::route::{self, DestinationKind, Route, RouteFailure, Unroute};

/// A route that is not taken; nothing of it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteRefusal {
    #[error("there is no link {link:?}")]
    NoLink { link: String },
    #[error("there is no end {address:?}")]
    NoEnd { address: String },
    #[error("{limit} circuits already pass through this router, the maximum")]
    TooManyCircuits {
        /// Maximum number of circuits.
        limit: usize,
    },
    #[error("the circuit has {limit} forwards already, the maximum")]
    TooManyForwards {
        /// Maximum number of forwards.
        limit: usize,
    },
}

impl RouteRefusal {
    /// What the controller is told of it.
    pub const fn failure(&self) -> RouteFailure {
        match self {
            Self::NoLink { .. } => RouteFailure::InvalidLinkDestination,
            Self::NoEnd { .. } => RouteFailure::Generic,
            Self::TooManyCircuits { .. } | Self::TooManyForwards { .. } => {
                RouteFailure::ResourcesNotAvailable
            },
        }
    }

    /// What all controllers are told: one of them believes in a link that is not there.
    pub fn link_fault(&self) -> Option<Fault> {
        let Self::NoLink { link } = self else {
            return None;
        };
        Some(Fault {
            subject: FaultSubject::Link,
            id: link.clone(),
            iteration: 0,
        })
    }
}

impl<C: Clone, D> Forwarder<C, D> {
    /// Takes a route of a controller, as [`route_with`](Self::route_with) does.
    pub fn route(&mut self, route: &Route, owner: &C, now: Moment) -> Result<(), RouteRefusal> {
        self.route_with(route, owner, || (), now)
    }
}

impl<C: Clone, D, N> Forwarder<C, D, N> {
    /// Takes a route of a controller, after what its egress names was dialed and attached.
    ///
    /// What the circuit had before stays, but for what comes from the same hop. The end that dials may
    /// be attached later. A new circuit gets the note.
    pub fn route_with(
        &mut self,
        route: &Route,
        owner: &C,
        note: impl FnOnce() -> N,
        now: Moment,
    ) -> Result<(), RouteRefusal> {
        for forward in &route.forwards {
            self.check(forward)?;
        }
        self.make_room(route)?;
        let id = route.circuit_id.as_str();
        let circuit = self
            .circuits
            .entry(id.into())
            .or_insert_with(|| Circuit::new(owner.clone(), note(), now));
        circuit.owner = owner.clone();
        circuit.is_unrouted = false;
        circuit.note_activity(now);
        for forward in &route.forwards {
            let forward = Forward {
                from: self.hops.name(&forward.source),
                to: self.hops.name(&forward.destination),
                is_to_end: forward.destination_kind != DestinationKind::Link,
            };
            if let Some(replaced) = circuit.set(forward) {
                self.hops.forget(replaced.from);
                self.hops.forget(replaced.to);
            }
        }
        Ok(())
    }

    fn check(&self, forward: &route::Forward) -> Result<(), RouteRefusal> {
        let address = &forward.destination;
        let is_attached = self.find(address).is_some();
        match forward.destination_kind {
            DestinationKind::Link if !is_attached => Err(RouteRefusal::NoLink {
                link: address.clone(),
            }),
            DestinationKind::End if !is_attached => Err(RouteRefusal::NoEnd {
                address: address.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Refuses what would be too much, after forwards that lead nowhere have been taken out.
    fn make_room(&mut self, route: &Route) -> Result<(), RouteRefusal> {
        let (new, limit) = (route.forwards.len(), self.options.max_forwards);
        let Some(circuit) = self.circuits.get_mut(route.circuit_id.as_str()) else {
            let limit_of_circuits = self.options.max_circuits;
            if self.circuits.len() >= limit_of_circuits {
                let limit = limit_of_circuits;
                return Err(RouteRefusal::TooManyCircuits { limit });
            }
            return if new > limit {
                Err(RouteRefusal::TooManyForwards { limit })
            } else {
                Ok(())
            };
        };
        if circuit.forwards().len() + new <= limit {
            return Ok(());
        }
        let hops = &self.hops;
        let is_dead = |forward: &Forward| hops.destination(forward.to).is_none();
        for dead in circuit.take_dead(is_dead) {
            self.hops.forget(dead.from);
            self.hops.forget(dead.to);
        }
        if circuit.forwards().len() + new <= limit {
            Ok(())
        } else {
            Err(RouteRefusal::TooManyForwards { limit })
        }
    }

    /// Forgets a circuit: at once, or when nothing has passed through it for a while.
    pub fn unroute(&mut self, unroute: &Unroute, now: Moment) {
        let id = unroute.circuit_id.as_str();
        if unroute.is_immediate {
            self.remove(id);
        } else if let Some(circuit) = self.circuits.get_mut(id)
            && !std::mem::replace(&mut circuit.is_unrouted, true)
        {
            let due = now + self.options.close_check_interval;
            self.drain.add(id.into(), due);
        }
    }

    /// Removes a circuit whose end at this router is over. Its controller has to be told with a fault.
    pub fn end(&mut self, circuit: &str) {
        self.remove(circuit);
    }

    pub(super) fn remove(&mut self, id: &str) {
        let Some((circuit, removed)) = self.circuits.remove_entry(id) else {
            return;
        };
        let is_here =
            |forward: &&Forward| forward.is_to_end && self.hops.destination(forward.to).is_some();
        let here = removed.forwards().iter().filter(is_here);
        let mut ends: Vec<_> = here.map(|forward| forward.to).collect();
        ends.sort_unstable();
        ends.dedup();
        for forward in removed.forwards() {
            self.hops.forget(forward.from);
            self.hops.forget(forward.to);
        }
        self.ended.push_back(EndedCircuit {
            circuit,
            ends,
            note: removed.note,
        });
    }
}
