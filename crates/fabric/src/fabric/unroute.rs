//! Telling routers to forget circuits, also those that cannot be told yet.

use super::Fabric;
use crate::circuits::Action;
use crate::{CircuitId, RouterSession, RouterSlot};
use std::collections::{BTreeMap, VecDeque};

/// What routers without a control channel have to be told.
#[derive(Debug)]
pub(super) struct OwedUnroutes {
    max_per_router: usize,
    circuits: BTreeMap<RouterSlot, VecDeque<CircuitId>>,
}

impl OwedUnroutes {
    pub(super) const fn new(max_per_router: usize) -> Self {
        Self {
            max_per_router,
            circuits: BTreeMap::new(),
        }
    }

    fn add(&mut self, router: RouterSlot, circuit: CircuitId) {
        let owed = self.circuits.entry(router).or_default();
        if owed.len() >= self.max_per_router {
            owed.pop_front();
        }
        owed.push_back(circuit);
    }

    pub(super) fn take(&mut self, router: RouterSlot) -> VecDeque<CircuitId> {
        self.circuits.remove(&router).unwrap_or_default()
    }
}

impl Fabric {
    /// Tells routers to forget a circuit, at once or when they connect again.
    pub(super) fn unroute(
        &mut self,
        routers: impl IntoIterator<Item = RouterSlot>,
        circuit: &CircuitId,
        now: bool,
    ) {
        for router in routers {
            if let Some(to) = self.network.session(router) {
                self.send_unroute(to, circuit.clone(), now);
            } else if self.network.router_id(router).is_some() {
                self.owed.add(router, circuit.clone());
            }
        }
    }

    pub(super) fn send_unroute(&mut self, to: RouterSession, circuit: CircuitId, now: bool) {
        self.actions.push_back(Action::Unroute { to, circuit, now });
    }
}
