//! Terminators, and the choice between those of a service.
//!
//! A circuit to a terminator costs the terminator's own cost, its dynamic cost and the cost of the path
//! to its router. Precedence decides first: a cost lies in the band of its precedence, whatever the sum.
//!
//! The dynamic cost is 2 for each open circuit and 20 for each failed dial. A successful dial takes 2
//! from the cost of failures, each minute 10, and twice as much whenever five minutes have passed since
//! the last failure. It is memory, and 0 after a restart of the controller.

mod cost;
mod dynamic_cost;
mod strategy;

use crate::{Network, Path, RouterSlot};
use dynamic_cost::DynamicCost;
use portcullis_channel::Moment;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RouterId, ServiceId, TerminatorId};
use portcullis_domain::service::TerminatorStrategy;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strategy::Candidate;

/// Values that the two ends of a circuit pass to each other, by number.
pub type PeerData = BTreeMap<u32, Vec<u8>>;

/// Where circuits to a service may end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminator {
    pub id: TerminatorId,
    pub service: ServiceId,
    pub router: RouterId,
    /// Component of the router that connects circuits to the service.
    pub binding: String,
    /// What the binding connects to.
    pub address: String,
    /// Instance of the service; empty for any.
    pub instance: String,
    pub cost: u16,
    pub precedence: Precedence,
    /// Id of the hosting identity.
    pub host: String,
    /// For every client.
    pub peer_data: Arc<PeerData>,
}

/// Terminators by id and by service.
#[derive(Debug, Default)]
pub struct Terminators {
    entries: BTreeMap<TerminatorId, Entry>,
    of_services: BTreeMap<ServiceId, BTreeSet<TerminatorId>>,
    at_routers: BTreeMap<RouterId, BTreeSet<TerminatorId>>,
}

#[derive(Debug)]
struct Entry {
    terminator: Terminator,
    dynamic_cost: DynamicCost,
}

/// What a terminator is wanted for.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    pub service: &'a ServiceId,
    /// Exactly this instance; empty for terminators without one.
    pub instance: &'a str,
    /// Where the circuit begins.
    pub from: RouterSlot,
    pub strategy: TerminatorStrategy,
    /// The terminator that the client had before.
    pub sticky: Option<&'a TerminatorId>,
    /// Terminators that have failed in this dial: only if there is no other.
    pub failed: &'a [TerminatorId],
    pub random: u64,
}

/// A terminator, and how to get there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub terminator: TerminatorId,
    pub path: Path,
    /// Cost of terminator and path, in the band of the precedence.
    pub cost: u32,
}

/// There is no terminator to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum ChoiceError {
    #[error("the service has no terminators")]
    NoTerminators,
    #[error("no terminator of the service is on a connected router")]
    NoOnlineTerminators,
    #[error("no path leads to a terminator of the service")]
    NoPath,
}

/// What a terminator costs now, apart from paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminatorCost {
    /// Open circuits.
    pub circuits: u32,
    /// Cost of failed dials.
    pub failures: u32,
    /// Cost of both, at most 65 535.
    pub dynamic: u16,
}

/// How many terminators a service has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TerminatorCounts {
    pub all: u32,
    /// Those with this precedence whose router is connected.
    pub usable_default: u32,
    pub usable_required: u32,
}

impl Terminators {
    pub const fn new() -> Self {
        Self {
            entries: BTreeMap::new(),
            of_services: BTreeMap::new(),
            at_routers: BTreeMap::new(),
        }
    }

    /// Creates a terminator, or changes it.
    pub fn set(&mut self, terminator: Terminator) {
        let id = terminator.id.clone();
        let mut dynamic_cost = DynamicCost::default();
        if let Some(known) = self.entries.get(&id) {
            dynamic_cost = known.dynamic_cost;
            let Terminator {
                service, router, ..
            } = &known.terminator;
            unlist(&mut self.of_services, service, &id);
            unlist(&mut self.at_routers, router, &id);
        }
        let service = self.of_services.entry(terminator.service.clone());
        service.or_default().insert(id.clone());
        let router = self.at_routers.entry(terminator.router.clone());
        router.or_default().insert(id.clone());
        let entry = Entry {
            terminator,
            dynamic_cost,
        };
        self.entries.insert(id, entry);
    }

    pub fn remove(&mut self, id: &TerminatorId) -> Option<Terminator> {
        let Entry { terminator, .. } = self.entries.remove(id)?;
        unlist(&mut self.of_services, &terminator.service, id);
        unlist(&mut self.at_routers, &terminator.router, id);
        Some(terminator)
    }

    pub fn get(&self, id: &TerminatorId) -> Option<&Terminator> {
        self.entries.get(id).map(|entry| &entry.terminator)
    }

    /// The terminators of a service, by id.
    pub fn of_service(&self, service: &ServiceId) -> impl Iterator<Item = &Terminator> {
        let listed = self.of_services.get(service).into_iter().flatten();
        listed.filter_map(|id| self.get(id))
    }

    /// The terminators at a router, by id.
    pub fn at_router(&self, router: &RouterId) -> impl Iterator<Item = &Terminator> + use<'_> {
        let listed = self.at_routers.get(router).into_iter().flatten();
        listed.filter_map(|id| self.get(id))
    }

    /// How many terminators a service has, and how many of them can be used now.
    pub fn count(&self, service: &ServiceId, network: &Network) -> TerminatorCounts {
        let mut counts = TerminatorCounts::default();
        for terminator in self.of_service(service) {
            counts.all += 1;
            let router = network.find_router(&terminator.router);
            if router.and_then(|router| network.session(router)).is_some() {
                match terminator.precedence {
                    Precedence::Default => counts.usable_default += 1,
                    Precedence::Required => counts.usable_required += 1,
                    Precedence::Failed => {},
                }
            }
        }
        counts
    }

    pub fn cost(&self, id: &TerminatorId, now: Moment) -> Option<TerminatorCost> {
        Some(cost_now(self.entries.get(id)?.dynamic_cost, now))
    }

    /// Number of terminators.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What all terminators cost now, by id.
    pub fn costs(&self, now: Moment) -> impl Iterator<Item = (&TerminatorId, TerminatorCost)> {
        let entries = self.entries.iter();
        entries.map(move |(id, entry)| (id, cost_now(entry.dynamic_cost, now)))
    }

    /// Chooses a terminator of a service, and the cheapest path to it.
    pub fn choose(
        &self,
        choice: &Choice<'_>,
        network: &Network,
        now: Moment,
    ) -> Result<Chosen, ChoiceError> {
        let wanted: Vec<_> = self
            .of_service(choice.service)
            .filter(|terminator| terminator.instance == choice.instance)
            .collect();
        if wanted.is_empty() {
            return Err(ChoiceError::NoTerminators);
        }
        let mut online: Vec<_> = wanted
            .into_iter()
            .filter_map(|terminator| {
                let router = network.find_router(&terminator.router)?;
                network.session(router)?;
                Some((terminator, router))
            })
            .collect();
        if online.is_empty() {
            return Err(ChoiceError::NoOnlineTerminators);
        }
        let paths = network.paths_from(choice.from).ok_or(ChoiceError::NoPath)?;
        online.retain(|(_, router)| paths.cost_to(*router).is_some());
        let is_fresh =
            |(terminator, _): &(&Terminator, RouterSlot)| !choice.failed.contains(&terminator.id);
        if online.iter().any(is_fresh) {
            online.retain(is_fresh);
        }
        let mut candidates: Vec<_> = online
            .iter()
            .filter_map(|(terminator, router)| {
                let path = paths.cost_to(*router)?;
                Some(self.candidate(terminator, path, now))
            })
            .collect();
        candidates.sort_by(|a, b| (a.cost, a.id).cmp(&(b.cost, b.id)));
        let Candidate { id, cost, .. } =
            strategy::pick(choice.strategy, &candidates, choice.sticky, choice.random)
                .ok_or(ChoiceError::NoPath)?;
        let router = online.iter().find(|(terminator, _)| terminator.id == **id);
        let path = router.and_then(|(_, router)| paths.path_to(*router));
        Ok(Chosen {
            terminator: (*id).clone(),
            path: path.ok_or(ChoiceError::NoPath)?,
            cost: *cost,
        })
    }

    fn candidate<'a>(&self, terminator: &'a Terminator, path: u64, now: Moment) -> Candidate<'a> {
        let dynamic = self.entries.get(&terminator.id);
        let dynamic = dynamic.map_or(0, |entry| entry.dynamic_cost.total(now));
        let cost = u64::from(terminator.cost) + u64::from(dynamic) + path;
        Candidate {
            id: &terminator.id,
            precedence: terminator.precedence,
            cost: cost::in_band(terminator.precedence, cost),
        }
    }

    /// A circuit to the terminator was opened.
    pub fn open(&mut self, id: &TerminatorId) {
        self.change(id, DynamicCost::open);
    }

    /// A circuit to the terminator has ended.
    pub fn close(&mut self, id: &TerminatorId) {
        self.change(id, DynamicCost::close);
    }

    /// A dial of the terminator has failed.
    pub fn fail(&mut self, id: &TerminatorId, now: Moment) {
        self.change(id, |cost| cost.fail(now));
    }

    /// A dial of the terminator has succeeded.
    pub fn succeed(&mut self, id: &TerminatorId, now: Moment) {
        self.change(id, |cost| cost.succeed(now));
    }

    fn change(&mut self, id: &TerminatorId, change: impl FnOnce(&mut DynamicCost)) {
        if let Some(entry) = self.entries.get_mut(id) {
            change(&mut entry.dynamic_cost);
        }
    }
}

fn cost_now(cost: DynamicCost, now: Moment) -> TerminatorCost {
    let (circuits, failures) = cost.parts(now);
    TerminatorCost {
        circuits,
        failures,
        dynamic: cost.total(now),
    }
}

fn unlist<K: Ord>(listed: &mut BTreeMap<K, BTreeSet<TerminatorId>>, under: &K, id: &TerminatorId) {
    if let Some(ids) = listed.get_mut(under) {
        ids.remove(id);
        if ids.is_empty() {
            listed.remove(under);
        }
    }
}
