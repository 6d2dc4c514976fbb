//! Routes: what each router of a path is told.

use super::{CircuitNames, Target};
use crate::{Address, CircuitId, Path, PeerData, RouterSlot};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The attempt number of all routes of circuits that exist already.
pub const REROUTE_ATTEMPT: u32 = 99_969_996;

/// One route as it is sent to one router, to tell its result from those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId(pub(crate) u64);

/// What a router has to do for a circuit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub circuit: CircuitId,
    /// Counted from 0, or [`REROUTE_ATTEMPT`].
    pub attempt: u32,
    /// What to connect the circuit to, for the last router.
    pub egress: Option<Egress>,
    pub forwards: Vec<Forward>,
    /// How long an answer is waited for.
    pub timeout: Duration,
    pub tags: Arc<BTreeMap<String, String>>,
}

/// The end of a circuit at its terminator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Egress {
    pub binding: String,
    /// Address of the terminator.
    pub destination: String,
    /// The end's own address.
    pub address: Address,
    pub peer_data: Arc<PeerData>,
}

/// What comes from one address goes to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forward {
    pub from: Address,
    pub to: Address,
    pub kind: ForwardKind,
}

/// What data is forwarded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForwardKind {
    /// The end where the circuit was dialed.
    Start,
    /// The end at the terminator.
    End,
    Link,
}

/// The forwards of each router of a path, from the last router to the first: the last has the most to
/// do.
pub(crate) fn forwards<'a>(
    path: &'a Path,
    names: &'a CircuitNames,
) -> impl Iterator<Item = (RouterSlot, Vec<Forward>)> + 'a {
    let routers = path.routers().iter().enumerate().rev();
    routers.map(|(place, router)| {
        let before = place
            .checked_sub(1)
            .and_then(|place| path.links().get(place));
        let before = before.map_or_else(
            || (names.ingress.clone(), ForwardKind::Start),
            |link| (link.into(), ForwardKind::Link),
        );
        let after = path.links().get(place).map_or_else(
            || (names.egress.clone(), ForwardKind::End),
            |link| (link.into(), ForwardKind::Link),
        );
        let forward = |from: &(Address, _), to: &(Address, _)| Forward {
            from: from.0.clone(),
            to: to.0.clone(),
            kind: to.1,
        };
        (
            *router,
            vec![forward(&before, &after), forward(&after, &before)],
        )
    })
}

impl Egress {
    pub(crate) fn new(target: &Target, names: &CircuitNames, peer_data: Arc<PeerData>) -> Self {
        Self {
            binding: target.binding.clone(),
            destination: target.address.clone(),
            address: names.egress.clone(),
            peer_data,
        }
    }
}
