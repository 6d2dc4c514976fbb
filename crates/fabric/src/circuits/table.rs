//! All circuits, their deadlines, and how many each router and service has.

use super::Circuit;
use crate::{CircuitId, RouterSlot};
use portcullis_channel::Moment;
use portcullis_domain::ids::ServiceId;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// A circuit is taken out to be changed, and put back unless it ends.
#[derive(Debug, Default)]
pub(crate) struct CircuitTable {
    circuits: BTreeMap<CircuitId, Circuit>,
    /// How many are established.
    open: usize,
    deadlines: BTreeSet<(Moment, CircuitId)>,
    per_router: BTreeMap<RouterSlot, usize>,
    per_service: BTreeMap<ServiceId, usize>,
    /// Dials that wait for the answer of each router.
    dials_per_router: BTreeMap<RouterSlot, usize>,
}

impl CircuitTable {
    pub(crate) fn get(&self, id: &CircuitId) -> Option<&Circuit> {
        self.circuits.get(id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Circuit> {
        self.circuits.values()
    }

    /// Those after an id, by id; all of them after `None`.
    pub(crate) fn iter_after(&self, after: Option<&CircuitId>) -> impl Iterator<Item = &Circuit> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let range = self
            .circuits
            .range::<CircuitId, _>((start, Bound::Unbounded));
        range.map(|(_, circuit)| circuit)
    }

    pub(crate) fn len(&self) -> usize {
        self.circuits.len()
    }

    /// Number of circuits that are established.
    pub(crate) const fn open(&self) -> usize {
        self.open
    }

    /// Ids of the circuits that fulfil a condition.
    pub(crate) fn find(&self, mut is_wanted: impl FnMut(&Circuit) -> bool) -> Vec<CircuitId> {
        let all = self.circuits.values();
        all.filter(|circuit| is_wanted(circuit))
            .map(|circuit| circuit.id().clone())
            .collect()
    }

    pub(crate) fn put(&mut self, circuit: Circuit) {
        let id = circuit.id().clone();
        self.open += usize::from(circuit.is_open());
        if let Some(at) = circuit.deadline() {
            self.deadlines.insert((at, id.clone()));
        }
        if let Some(router) = circuit.path.first() {
            *self.per_router.entry(router).or_default() += 1;
        }
        let service = circuit.right.service.clone();
        *self.per_service.entry(service).or_default() += 1;
        for router in circuit.awaited_dialing() {
            *self.dials_per_router.entry(router).or_default() += 1;
        }
        self.circuits.insert(id, circuit);
    }

    pub(crate) fn take(&mut self, id: &CircuitId) -> Option<Circuit> {
        let circuit = self.circuits.remove(id)?;
        self.open -= usize::from(circuit.is_open());
        if let Some(at) = circuit.deadline() {
            self.deadlines.remove(&(at, id.clone()));
        }
        if let Some(router) = circuit.path.first() {
            decrement(&mut self.per_router, &router);
        }
        decrement(&mut self.per_service, &circuit.right.service);
        for router in circuit.awaited_dialing() {
            decrement(&mut self.dials_per_router, &router);
        }
        Some(circuit)
    }

    /// Number of circuits that were dialed at a router.
    pub(crate) fn count_at(&self, router: RouterSlot) -> usize {
        self.per_router.get(&router).copied().unwrap_or_default()
    }

    /// Number of dials that wait for the answer of a router.
    pub(crate) fn dials_at(&self, router: RouterSlot) -> usize {
        let dials = self.dials_per_router.get(&router);
        dials.copied().unwrap_or_default()
    }

    /// Number of circuits to a service.
    pub(crate) fn count_of(&self, service: &ServiceId) -> usize {
        self.per_service.get(service).copied().unwrap_or_default()
    }

    pub(crate) fn next_deadline(&self) -> Option<Moment> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// A circuit whose deadline has passed.
    pub(crate) fn expired(&self, now: Moment) -> Option<CircuitId> {
        let (at, id) = self.deadlines.first()?;
        (*at <= now).then(|| id.clone())
    }
}

fn decrement<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}
