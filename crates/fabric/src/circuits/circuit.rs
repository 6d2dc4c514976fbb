//! A circuit and its states.
//!
//! ```text
//! Dialing --> Open <--> Rerouting
//!              ^            |
//!              +--------- Stranded
//! ```
//!
//! Any of them may end.

use super::{EndAddresses, RouteId};
use crate::{Address, Chosen, CircuitId, Path, PeerData, RouterSession, RouterSlot};
use portcullis_channel::Moment;
use portcullis_domain::ids::{ApiSessionId, IdentityId, ServiceId, TerminatorId};
use portcullis_domain::oidc_session::TokenId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the caller calls a dial, to know its answer again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DialId(pub u64);

/// Fresh names for a circuit and its ends: unique, and best drawn at random.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitNames {
    pub circuit: CircuitId,
    /// The end where the circuit was dialed.
    pub ingress: Address,
    /// The end at the terminator.
    pub egress: Address,
}

impl CircuitNames {
    /// The names of another attempt: a router that is dialed again has to tell its ends from those of the attempt
    /// before.
    pub(crate) fn of_attempt(&self, attempt: u32) -> Self {
        let mut names = self.clone();
        if attempt > 0 {
            let egress = Address::new(&format!("{}.{attempt}", self.egress.as_str()));
            names.egress = egress.unwrap_or(names.egress);
        }
        names
    }
}

/// Why a circuit may exist. Whoever dials has been judged before; a right that ends takes the circuit
/// along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Right {
    /// The identity that has dialed.
    pub client: IdentityId,
    pub service: ServiceId,
    /// The session in which it has dialed; `None` for a router.
    pub session: Option<ApiSessionId>,
    /// The ids of the signed tokens that were shown for the dial.
    pub tokens: Vec<TokenId>,
    /// When the right ends if nobody takes it away before.
    pub until: Option<Moment>,
}

/// A request for a circuit, which its caller may make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dial {
    pub id: DialId,
    /// The router that asks. The circuit begins there.
    pub from: RouterSession,
    pub names: CircuitNames,
    pub right: Right,
    /// Exactly this instance of the service; empty for terminators without one.
    pub instance: String,
    /// The terminator that the client had before.
    pub sticky: Option<TerminatorId>,
    /// For the host.
    pub peer_data: Arc<PeerData>,
    /// For logs and usage reports of routers.
    pub tags: Arc<BTreeMap<String, String>>,
    /// A random number, for strategies that draw lots.
    pub random: u64,
}

/// What the last router connects a circuit to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub terminator: TerminatorId,
    /// Id of the hosting identity.
    pub host: String,
    pub binding: String,
    pub address: String,
    /// Instance of the service; empty if it has none.
    pub instance: String,
}

#[derive(Debug)]
pub(crate) struct Circuit {
    pub(crate) names: CircuitNames,
    pub(crate) right: Right,
    pub(crate) tags: Arc<BTreeMap<String, String>>,
    /// `None` while it is being dialed, and for adopted circuits.
    pub(crate) target: Option<Arc<Target>>,
    /// The path that all its routers have confirmed, or the one that is tried first.
    pub(crate) path: Path,
    pub(crate) addresses: Arc<EndAddresses>,
    /// Cost of path and terminator when the terminator was chosen; 0 for adopted circuits.
    pub(crate) cost: u32,
    pub(crate) state: State,
    pub(crate) created: Moment,
    /// Since when the routers of the path have their routes.
    pub(crate) settled: Moment,
    /// Whether a router may have set up an earlier route after the newest one.
    pub(crate) is_doubtful: bool,
    /// How often routers could not forward, and since when that is counted.
    pub(crate) forward_faults: (u32, Moment),
}

#[derive(Debug)]
pub(crate) enum State {
    Dialing(Box<Dialing>),
    Open,
    Rerouting(Box<Rerouting>),
    /// No path leads from end to end. Waits until then for one.
    Stranded(Moment),
}

/// The first route of a circuit.
#[derive(Debug)]
pub(crate) struct Dialing {
    pub(crate) dial: Dial,
    /// Counted from 0.
    pub(crate) attempt: u32,
    pub(crate) chosen: Chosen,
    pub(crate) target: Arc<Target>,
    pub(crate) pending: Pending,
    /// Terminators that earlier attempts have tried.
    pub(crate) failed: Vec<TerminatorId>,
    /// What the terminator and the host tell the client.
    pub(crate) peer_data: PeerData,
}

/// Another path for an open circuit.
#[derive(Debug)]
pub(crate) struct Rerouting {
    pub(crate) path: Path,
    pub(crate) pending: Pending,
    /// Counted from 0.
    pub(crate) attempt: u32,
}

/// Answers that routes still wait for.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) waiting: Vec<(RouterSession, RouteId)>,
    pub(crate) until: Moment,
}

impl Pending {
    /// Takes note of an answer; false if it was not expected.
    pub(crate) fn answer(&mut self, from: RouterSession, route: Option<RouteId>) -> bool {
        let expected = route.map(|route| (from, route));
        let place = self.waiting.iter().position(|it| Some(*it) == expected);
        place.map(|place| self.waiting.swap_remove(place)).is_some()
    }

    pub(crate) fn awaits(&self, session: RouterSession) -> bool {
        self.waiting.iter().any(|(waiting, _)| *waiting == session)
    }
}

impl Circuit {
    pub(crate) const fn id(&self) -> &CircuitId {
        &self.names.circuit
    }

    /// The path that is in use or being tried.
    pub(crate) fn newest_path(&self) -> &Path {
        match &self.state {
            State::Dialing(dialing) => &dialing.chosen.path,
            State::Rerouting(rerouting) => &rerouting.path,
            State::Open | State::Stranded(_) => &self.path,
        }
    }

    /// All routers that may have a route of the circuit.
    pub(crate) fn carriers(&self) -> BTreeSet<RouterSlot> {
        let paths = [&self.path, self.newest_path()];
        paths.into_iter().flat_map(Path::routers).copied().collect()
    }

    /// Routers whose answers the dial waits for; none unless the circuit is being dialed.
    pub(crate) fn awaited_dialing(&self) -> impl Iterator<Item = RouterSlot> {
        let waiting: &[_] = match &self.state {
            State::Dialing(dialing) => &dialing.pending.waiting,
            State::Open | State::Rerouting(_) | State::Stranded(_) => &[],
        };
        waiting.iter().map(|(session, _)| session.router())
    }

    pub(crate) fn is_end(&self, router: RouterSlot) -> bool {
        let path = self.newest_path();
        path.first() == Some(router) || path.last() == Some(router)
    }

    /// When something is to happen, even if nothing else does.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        let state = match &self.state {
            State::Dialing(dialing) => Some(dialing.pending.until),
            State::Rerouting(rerouting) => Some(rerouting.pending.until),
            State::Stranded(until) => Some(*until),
            State::Open => None,
        };
        state.into_iter().chain(self.right.until).min()
    }

    /// Whether the circuit has been established.
    pub(crate) const fn is_open(&self) -> bool {
        !matches!(self.state, State::Dialing(_))
    }

    pub(crate) fn view(&self) -> CircuitView<'_> {
        CircuitView {
            names: &self.names,
            right: &self.right,
            target: match &self.state {
                State::Dialing(dialing) => Some(&dialing.target),
                _ => self.target.as_deref(),
            },
            path: self.newest_path(),
            tags: &self.tags,
            cost: self.cost,
            created: self.created,
            is_open: self.is_open(),
        }
    }
}

/// A circuit as others see it.
#[derive(Debug, Clone, Copy)]
pub struct CircuitView<'a> {
    pub names: &'a CircuitNames,
    pub right: &'a Right,
    /// `None` for a circuit that was adopted.
    pub target: Option<&'a Target>,
    pub path: &'a Path,
    /// For logs and usage reports of routers.
    pub tags: &'a Arc<BTreeMap<String, String>>,
    /// Cost of path and terminator when the terminator was chosen; 0 for adopted circuits.
    pub cost: u32,
    pub created: Moment,
    /// Whether the circuit has been established.
    pub is_open: bool,
}
