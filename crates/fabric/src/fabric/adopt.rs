//! Circuits that routers carry and the controller does not know, because it was restarted.
//!
//! Such circuits go on. Each router that connects is asked what it carries; a circuit is adopted as
//! soon as its whole path is known, from the router where it was dialed, whose claim was judged, to the
//! one where it ends. What cannot be adopted carries on until it is too late for that, and routers report
//! that it is idle.

use super::Fabric;
use crate::circuits::{
    CarriedCircuit, Circuit, CircuitEvent, CircuitNames, Claim, Forward, ForwardKind, Right, State,
    Target,
};
use crate::{Address, CircuitId, Network, Path, RouterSession, RouterSlot};
use portcullis_channel::Moment;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Forwards of one circuit on one router: two, and two more for each path that it had before.
const MAX_FORWARDS: usize = 64;
/// Circuits that have ended and are remembered, so that they are not adopted. One more is adopted if
/// its routers are slow, and ends when they report again.
const MAX_ENDED: usize = 65_536;

#[derive(Debug)]
pub(super) struct Adoption {
    until: Option<Moment>,
    carried: BTreeMap<CircuitId, Unclaimed>,
    /// How many of those each router carries.
    counts: BTreeMap<RouterSlot, usize>,
    /// Routers that have said what they carry since they have connected.
    told: BTreeSet<RouterSlot>,
    /// Routers that carry more than they can say: what is not known of them was perhaps never asked for in time.
    partly_told: BTreeSet<RouterSlot>,
    ended: BTreeSet<CircuitId>,
}

/// A circuit that is not known.
#[derive(Debug, Default)]
struct Unclaimed {
    routers: BTreeMap<RouterSlot, Vec<Forward>>,
    origin: Option<Origin>,
}

/// The path of a circuit that is not known.
struct FoundPath {
    path: Path,
    egress: Address,
    /// Whether the way back is the same. It is not if the controller was restarted while the circuit
    /// changed its path.
    is_consistent: bool,
}

#[derive(Debug)]
struct Origin {
    router: RouterSlot,
    ingress: Address,
    right: Right,
    tags: Arc<BTreeMap<String, String>>,
}

impl Adoption {
    pub(super) fn new(until: Moment) -> Self {
        Self {
            until: Some(until),
            ..Self::over()
        }
    }

    /// Nothing is adopted any more.
    const fn over() -> Self {
        Self {
            until: None,
            carried: BTreeMap::new(),
            counts: BTreeMap::new(),
            told: BTreeSet::new(),
            partly_told: BTreeSet::new(),
            ended: BTreeSet::new(),
        }
    }

    pub(super) const fn deadline(&self) -> Option<Moment> {
        self.until
    }

    pub(super) fn handle_timeout(&mut self, now: Moment) {
        if self.until.is_some_and(|until| until <= now) {
            *self = Self {
                partly_told: std::mem::take(&mut self.partly_told),
                ..Self::over()
            };
        }
    }

    /// Whether a router carries circuits that are not known.
    pub(super) fn has_carrier(&self, router: RouterSlot) -> bool {
        self.counts.contains_key(&router)
    }

    /// A circuit has ended; routers that still say that they carry it do not revive it.
    pub(super) fn note_end(&mut self, circuit: &CircuitId) {
        if self.until.is_some() && self.ended.len() < MAX_ENDED {
            self.ended.insert(circuit.clone());
        }
    }

    fn remove(&mut self, circuit: &CircuitId) -> Option<Unclaimed> {
        let unclaimed = self.carried.remove(circuit)?;
        for router in unclaimed.routers.keys() {
            if let Some(count) = self.counts.get_mut(router) {
                *count -= 1;
            }
        }
        self.counts.retain(|_, count| *count > 0);
        Some(unclaimed)
    }
}

impl Fabric {
    /// Handles a circuit that a router carries, and that is not known.
    pub(super) fn handle_unknown(
        &mut self,
        from: RouterSession,
        carried: CarriedCircuit,
        now: Moment,
    ) {
        let id = carried.id;
        let adoption = &mut self.adoption;
        let is_over = adoption.until.is_none_or(|until| until <= now);
        let is_too_late = is_over && !adoption.partly_told.contains(&from.router());
        if is_too_late || adoption.ended.contains(&id) || carried.forwards.len() > MAX_FORWARDS {
            self.send_unroute(from, id, true);
            return;
        }
        let origin = match carried.claim {
            Claim::Unknown => None,
            Claim::Granted {
                ingress,
                right,
                tags,
            } => Some(Origin {
                router: from.router(),
                ingress,
                right,
                tags,
            }),
            Claim::Refused => {
                self.send_unroute(from, id.clone(), true);
                self.refuse_claim(&id);
                return;
            },
        };
        if is_over {
            // It goes on until it is idle.
            return;
        }
        let count = adoption.counts.entry(from.router()).or_default();
        let unclaimed = adoption.carried.entry(id.clone()).or_default();
        if !unclaimed.routers.contains_key(&from.router()) {
            if *count >= self.options.max_circuits_per_router {
                if unclaimed.routers.is_empty() {
                    adoption.carried.remove(&id);
                }
                return;
            }
            *count += 1;
        }
        unclaimed.routers.insert(from.router(), carried.forwards);
        if origin.is_some() {
            unclaimed.origin = origin;
        }
        self.adopt(&id, now);
    }

    /// Adopts what can be adopted now that more links are known.
    pub(super) fn adopt_all(&mut self, now: Moment) {
        let claimed = self.adoption.carried.iter();
        let claimed: Vec<_> = claimed
            .filter(|(_, unclaimed)| unclaimed.origin.is_some())
            .map(|(id, _)| id.clone())
            .collect();
        for id in claimed {
            self.adopt(&id, now);
        }
    }

    /// One end of a circuit that is not adopted yet was closed.
    pub(super) fn close_unclaimed(&mut self, from: RouterSession, id: &CircuitId) {
        let unclaimed = self.adoption.carried.get(id);
        if unclaimed.is_some_and(|it| it.routers.contains_key(&from.router())) {
            self.refuse_claim(id);
        }
    }

    /// Adopts a circuit if its whole path is known.
    fn adopt(&mut self, id: &CircuitId, now: Moment) {
        let unclaimed = self.adoption.carried.get(id);
        let found = unclaimed.and_then(|it| it.path(&self.network));
        let Some(FoundPath {
            path,
            egress,
            is_consistent,
        }) = found
        else {
            return;
        };
        let removed = self.adoption.remove(id);
        let Some(Unclaimed {
            routers,
            origin: Some(origin),
        }) = removed
        else {
            return;
        };
        let off_path = routers.into_keys().filter(|router| !path.passes(*router));
        self.unroute(off_path, id, true);
        let circuit = Circuit {
            names: CircuitNames {
                circuit: id.clone(),
                ingress: origin.ingress,
                egress,
            },
            right: origin.right,
            tags: origin.tags,
            target: None,
            path,
            addresses: Arc::default(),
            cost: 0,
            state: State::Open,
            created: now,
            settled: now,
            is_doubtful: !is_consistent,
            forward_faults: (0, now),
        };
        self.announce(CircuitEvent::Adopted(id.clone()));
        self.keep(circuit, now);
    }

    /// Ends a circuit that is not known, and that may not be.
    fn refuse_claim(&mut self, id: &CircuitId) {
        let unclaimed = self.adoption.remove(id).unwrap_or_default();
        self.unroute(unclaimed.routers.into_keys(), id, true);
        self.adoption.note_end(id);
    }

    pub(super) fn retain_claims(
        &mut self,
        mut may_stay: impl FnMut(&Right, Option<&Target>) -> bool,
    ) {
        let claims = self.adoption.carried.iter();
        let refused: Vec<_> = claims
            .filter(|(_, unclaimed)| {
                let origin = unclaimed.origin.as_ref();
                origin.is_some_and(|origin| !may_stay(&origin.right, None))
            })
            .map(|(id, _)| id.clone())
            .collect();
        for id in refused {
            self.refuse_claim(&id);
        }
    }

    /// Number of circuits that routers carry, and that may still be adopted.
    pub fn unclaimed(&self) -> usize {
        self.adoption.carried.len()
    }

    /// Whether a circuit that is not known, and that a router complains of, may still be adopted: it is
    /// known that routers carry it, or this router has yet to say what it carries.
    pub(super) fn may_be_adopted(&self, id: &CircuitId, router: RouterSlot) -> bool {
        let Adoption {
            until,
            carried,
            told,
            ended,
            ..
        } = &self.adoption;
        let may_be = carried.contains_key(id) || !told.contains(&router);
        until.is_some() && may_be && !ended.contains(id)
    }

    /// A router says what it carries: everything, instead of what it has said before, or a part, beside that.
    pub(super) fn begin_carried(&mut self, router: RouterSlot, is_complete: bool) {
        if !is_complete {
            self.adoption.partly_told.insert(router);
            return;
        }
        self.forget_claims(router);
        if self.adoption.until.is_some() {
            self.adoption.told.insert(router);
            self.adoption.partly_told.remove(&router);
        }
    }

    /// What a router that is gone carries is not known.
    pub(super) fn forget_carrier(&mut self, router: RouterSlot) {
        self.adoption.told.remove(&router);
        self.adoption.partly_told.remove(&router);
        self.forget_claims(router);
    }

    fn forget_claims(&mut self, router: RouterSlot) {
        if self.adoption.counts.remove(&router).is_none() {
            return;
        }
        self.adoption.carried.retain(|_, unclaimed| {
            unclaimed.routers.remove(&router);
            unclaimed.origin.take_if(|origin| origin.router == router);
            !unclaimed.routers.is_empty()
        });
    }
}

impl Unclaimed {
    /// The path from the origin to the end, if all its routers have reported.
    fn path(&self, network: &Network) -> Option<FoundPath> {
        let origin = self.origin.as_ref()?;
        let mut router = origin.router;
        let mut address = origin.ingress.clone();
        let mut routers = vec![router];
        let mut links = Vec::new();
        let mut is_consistent = true;
        loop {
            let forwards = self.routers.get(&router)?;
            let next = forwards.iter().find(|forward| forward.from == address)?;
            let is_back = |back: &Forward| back.from == next.to && back.to == address;
            is_consistent &= forwards.iter().any(is_back);
            if next.kind != ForwardKind::Link {
                return Some(FoundPath {
                    path: Path::new(routers, links)?,
                    egress: next.to.clone(),
                    is_consistent,
                });
            }
            let link = network.find_link(next.to.as_str())?;
            if !link.has_end(router) {
                return None;
            }
            router = link.other_end(router);
            if routers.contains(&router) {
                return None;
            }
            address = next.to.clone();
            routers.push(router);
            links.push(link.id.clone());
        }
    }
}
