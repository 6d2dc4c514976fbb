//! A router: links, tables, and ends of circuits.

use super::message::{Carried, Dialed, ToController};
use portcullis_fabric::{
    Address, CircuitFault, CircuitId, Forward, ForwardKind, LinkId, Moment, PeerData, Route,
    RouteErrorCode, RouteFailure, RouteId, RouteResult,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Router {
    /// Counts restarts.
    pub(crate) run: u64,
    pub(crate) is_up: bool,
    pub(crate) links: BTreeMap<LinkId, LinkEnd>,
    pub(crate) circuits: BTreeMap<CircuitId, Entry>,
    /// Terminators that the router knows.
    pub(crate) hosted: BTreeSet<String>,
    /// Dials whose answer is to come, and the client of each.
    pub(crate) dials: BTreeMap<u64, usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct LinkEnd {
    pub(crate) peer: usize,
    pub(crate) iteration: u32,
    pub(crate) is_source: bool,
}

/// What a router has of a circuit.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) forwards: BTreeMap<Address, Address>,
    pub(crate) ingress: Option<(Address, usize)>,
    pub(crate) egress: Option<Address>,
    pub(crate) used: Moment,
}

impl Entry {
    fn is_end(&self, address: &Address) -> bool {
        self.egress.as_ref() == Some(address)
            || self.ingress.as_ref().is_some_and(|(end, _)| end == address)
    }
}

/// Where data goes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    Arrived,
    Link(LinkId, usize),
    Fault,
}

impl Router {
    pub(crate) fn restart(&mut self) {
        *self = Self {
            run: self.run + 1,
            ..Self::default()
        };
    }

    /// Sets up a route, and says how that went.
    pub(crate) fn route(
        &mut self,
        id: RouteId,
        route: &Route,
        now: Moment,
        may_dial: bool,
    ) -> Vec<ToController> {
        let mut said = Vec::new();
        let outcome = self.set_up(route, now, may_dial, &mut said);
        said.push(ToController::Result(RouteResult {
            route: Some(id),
            circuit: route.circuit.clone(),
            outcome: outcome
                .map(|()| PeerData::new())
                .map_err(|code| RouteFailure {
                    code,
                    text: String::new(),
                }),
        }));
        said
    }

    fn set_up(
        &mut self,
        route: &Route,
        now: Moment,
        may_dial: bool,
        said: &mut Vec<ToController>,
    ) -> Result<(), RouteErrorCode> {
        let entry = self.circuits.entry(route.circuit.clone()).or_default();
        entry.used = now;
        if let Some(egress) = &route.egress
            && entry.egress.as_ref() != Some(&egress.address)
        {
            if !self.hosted.contains(&egress.destination) {
                return Err(RouteErrorCode::InvalidTerminator);
            }
            if !may_dial {
                return Err(RouteErrorCode::ConnectionRefused);
            }
            entry.egress = Some(egress.address.clone());
        }
        for forward in &route.forwards {
            match forward.kind {
                ForwardKind::Link if !self.links.contains_key(forward.to.as_str()) => {
                    let link = LinkId::new(forward.to.as_str()).unwrap();
                    said.push(ToController::LinkFault { link, iteration: 0 });
                    return Err(RouteErrorCode::InvalidLinkDestination);
                },
                ForwardKind::End if !entry.is_end(&forward.to) => {
                    return Err(RouteErrorCode::Generic);
                },
                ForwardKind::Start | ForwardKind::End | ForwardKind::Link => (),
            }
            entry
                .forwards
                .insert(forward.from.clone(), forward.to.clone());
        }
        Ok(())
    }

    /// Forgets a circuit; its ends are closed, and say so.
    pub(crate) fn unroute(&mut self, circuit: &CircuitId) -> Vec<ToController> {
        let Some(entry) = self.circuits.remove(circuit) else {
            return Vec::new();
        };
        let ingress = entry.ingress.map(|_| CircuitFault::Ingress);
        let egress = entry.egress.map(|_| CircuitFault::Egress);
        let faults = ingress.into_iter().chain(egress);
        faults
            .map(|fault| ToController::CircuitFault {
                circuit: circuit.clone(),
                fault,
            })
            .collect()
    }

    /// Closes an end of a circuit.
    pub(crate) fn close(
        &mut self,
        circuit: &CircuitId,
        fault: CircuitFault,
    ) -> Option<ToController> {
        let entry = self.circuits.get_mut(circuit)?;
        let was_there = match fault {
            CircuitFault::Ingress => entry.ingress.take().is_some(),
            CircuitFault::Egress => entry.egress.take().is_some(),
        };
        was_there.then(|| ToController::CircuitFault {
            circuit: circuit.clone(),
            fault,
        })
    }

    /// Where data from an address goes.
    pub(crate) fn forward(&mut self, circuit: &CircuitId, from: &Address, now: Moment) -> Hop {
        let Some(entry) = self.circuits.get_mut(circuit) else {
            return Hop::Fault;
        };
        let Some(to) = entry.forwards.get(from) else {
            return Hop::Fault;
        };
        if entry.is_end(to) {
            entry.used = now;
            return Hop::Arrived;
        }
        match self.links.get_key_value(to.as_str()) {
            Some((id, end)) => {
                entry.used = now;
                Hop::Link(id.clone(), end.peer)
            },
            None => Hop::Fault,
        }
    }

    pub(crate) fn idle(&self, longer_than: Duration, now: Moment) -> Vec<(CircuitId, Duration)> {
        let all = self.circuits.iter();
        all.map(|(id, entry)| (id.clone(), now.since(entry.used)))
            .filter(|(_, idle)| *idle > longer_than)
            .collect()
    }

    pub(crate) fn dialed(&self) -> Vec<Dialed> {
        let all = self.links.iter().filter(|(_, end)| end.is_source);
        all.map(|(id, end)| Dialed {
            id: id.clone(),
            destination: end.peer,
            iteration: end.iteration,
        })
        .collect()
    }

    pub(crate) fn carried(&self) -> Vec<Carried> {
        let all = self.circuits.iter();
        all.map(|(id, entry)| {
            let forwards = entry.forwards.iter().filter_map(|(from, to)| {
                let is_link = to.as_str().starts_with("link");
                let kind = match () {
                    () if is_link => ForwardKind::Link,
                    () if entry.is_end(to) => ForwardKind::End,
                    () => return None,
                };
                Some(Forward {
                    from: from.clone(),
                    to: to.clone(),
                    kind,
                })
            });
            Carried {
                id: id.clone(),
                forwards: forwards.collect(),
                origin: entry.ingress.clone(),
            }
        })
        .collect()
    }
}
