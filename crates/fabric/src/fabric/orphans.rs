//! Routers that keep sending data of circuits that they should not carry.
//!
//! The router that gets such data complains, and does not say where it comes from. It happens when one
//! router of a circuit and the controller were restarted: for the others, the circuit is in use.

use super::Fabric;
use crate::{CircuitId, RouterSession, RouterSlot};
use portcullis_channel::Moment;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// After this time, data is not just what was on its way.
const PATIENCE: Duration = Duration::from_secs(30);
/// Circuits that are remembered for each router.
const MAX_CIRCUITS: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Orphans {
    /// Circuits of which routers get data that they should not, and since when.
    since: BTreeMap<RouterSlot, BTreeMap<CircuitId, Moment>>,
}

impl Orphans {
    /// Takes note of a complaint; true if there was one long enough before.
    fn note(&mut self, router: RouterSlot, circuit: &CircuitId, now: Moment) -> bool {
        let known = self.since.entry(router).or_default();
        if let Some(since) = known.get(circuit) {
            let is_repeated = now.since(*since) >= PATIENCE;
            if is_repeated {
                known.remove(circuit);
            }
            return is_repeated;
        }
        if known.len() >= MAX_CIRCUITS {
            known.retain(|_, since| now.since(*since) < 2 * PATIENCE);
        }
        if known.len() < MAX_CIRCUITS {
            known.insert(circuit.clone(), now);
        }
        false
    }

    pub(super) fn forget(&mut self, router: RouterSlot) {
        self.since.remove(&router);
    }
}

impl Fabric {
    /// A router gets data of a circuit that it should not carry. If that goes on, its neighbors are asked
    /// what they carry.
    pub(super) fn note_orphan(&mut self, at: RouterSession, circuit: &CircuitId, now: Moment) {
        if !self.orphans.note(at.router(), circuit, now) {
            return;
        }
        for router in self.neighbors(at.router()) {
            self.ask_sometimes(router, now);
        }
    }

    fn neighbors(&self, router: RouterSlot) -> BTreeSet<RouterSlot> {
        let links = self.network.links().filter(|link| link.has_end(router));
        links.map(|link| link.other_end(router)).collect()
    }
}
