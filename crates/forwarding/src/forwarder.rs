//! Circuits, and where they go.

mod change;
mod drain;
mod view;

pub use change::RouteRefusal;
pub use view::CircuitView;

use crate::circuit::Circuit;
use crate::hops::{Hop, Hops};
use crate::options::ForwardingOptions;
use drain::Drain;
use portcullis_channel::Moment;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Why something cannot be forwarded. A payload is to be told of in [`Faults`](crate::Faults), anything
/// else to be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoWay {
    #[error("the circuit is not known here")]
    UnknownCircuit,
    #[error("the circuit leads nowhere from there")]
    NoForward,
    /// The link is lost, or the end has gone.
    #[error("what the circuit leads to is not there")]
    NotAttached,
}

/// Whether what is forwarded shows that a circuit is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    Shown,
    /// An end at this router sends again what was not acknowledged.
    NotShown,
}

/// The circuits of controllers `C` at a router, and the destinations `D` that they lead to: whatever sends
/// to a link, or to an end at this router. A note `N` is kept with each circuit, such as what counts its bytes.
#[derive(Debug)]
pub struct Forwarder<C, D, N = ()> {
    options: ForwardingOptions,
    circuits: HashMap<Arc<str>, Circuit<C, N>>,
    hops: Hops<D>,
    drain: Drain,
    ended: VecDeque<EndedCircuit<N>>,
}

/// A circuit is no longer carried. Its ends at this router, if there are any, have to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedCircuit<N> {
    pub circuit: Arc<str>,
    pub ends: Vec<Hop>,
    /// That of the circuit.
    pub note: N,
}

/// The way of a message through a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage<'a, D, N> {
    pub destination: &'a D,
    /// That of the circuit.
    pub note: &'a N,
    /// Whether it comes from an end of the circuit, and not from a link.
    pub is_from_end: bool,
    /// Whether it goes to an end of the circuit, and not to a link.
    pub is_to_end: bool,
}

impl<C: Clone, D> Forwarder<C, D> {
    /// Without notes.
    pub fn new(options: ForwardingOptions) -> Self {
        Self::with_notes(options)
    }
}

impl<C: Clone, D, N> Forwarder<C, D, N> {
    pub fn with_notes(options: ForwardingOptions) -> Self {
        Self {
            options,
            circuits: HashMap::new(),
            hops: Hops::new(),
            drain: Drain::default(),
            ended: VecDeque::new(),
        }
    }

    /// Where a message of a circuit goes that comes from a hop.
    pub fn forward(
        &self,
        circuit: &str,
        from: Hop,
        activity: Activity,
        now: Moment,
    ) -> Result<&D, NoWay> {
        let passage = self.pass(circuit, from, activity, now)?;
        Ok(passage.destination)
    }

    /// As [`forward`](Self::forward), with what is to be known of the way.
    pub fn pass(
        &self,
        circuit: &str,
        from: Hop,
        activity: Activity,
        now: Moment,
    ) -> Result<Passage<'_, D, N>, NoWay> {
        let circuit = self.circuits.get(circuit).ok_or(NoWay::UnknownCircuit)?;
        let forward = circuit.next(from).ok_or(NoWay::NoForward)?;
        let destination = self.hops.destination(forward.to);
        let destination = destination.ok_or(NoWay::NotAttached)?;
        if activity == Activity::Shown {
            circuit.note_activity(now);
        }
        Ok(Passage {
            destination,
            note: &circuit.note,
            is_from_end: circuit.is_end(from),
            is_to_end: forward.is_to_end,
        })
    }

    /// Says that a circuit is in use, of what does not pass through [`forward`](Self::forward).
    pub fn note_activity(&self, circuit: &str, now: Moment) {
        if let Some(circuit) = self.circuits.get(circuit) {
            circuit.note_activity(now);
        }
    }

    /// The controller that a circuit belongs to.
    pub fn owner(&self, circuit: &str) -> Option<&C> {
        Some(&self.circuits.get(circuit)?.owner)
    }

    /// Whether a hop is an end of a circuit, and not one that another has taken the place of.
    pub fn is_end(&self, circuit: &str, hop: Hop) -> bool {
        let circuit = self.circuits.get(circuit);
        circuit.is_some_and(|circuit| circuit.is_end(hop))
    }

    /// What is kept with a circuit.
    pub fn note(&self, circuit: &str) -> Option<&N> {
        Some(&self.circuits.get(circuit)?.note)
    }

    /// Attaches a link, by its id, or an end, by its address. Returns its hop, and what was attached there
    /// before.
    pub fn attach(&mut self, address: &str, destination: D) -> (Hop, Option<D>) {
        self.hops.attach(address, destination)
    }

    /// Detaches a link or an end if it is the one that is meant, and not one that has taken its place.
    /// Circuits keep their way: a link may come back.
    pub fn detach(&mut self, hop: Hop, is_meant: impl FnOnce(&D) -> bool) -> Option<D> {
        self.hops.detach(hop, is_meant)
    }

    /// What a hop leads to.
    pub fn destination(&self, hop: Hop) -> Option<&D> {
        self.hops.destination(hop)
    }

    /// What an address leads to: whether an end that a route names has been dialed already.
    pub fn find(&self, address: &str) -> Option<(Hop, &D)> {
        let hop = self.hops.find(address)?;
        Some((hop, self.hops.destination(hop)?))
    }

    /// The next circuit that has ended.
    pub fn poll_ended(&mut self) -> Option<EndedCircuit<N>> {
        self.ended.pop_front()
    }

    /// Number of circuits.
    pub fn len(&self) -> usize {
        self.circuits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.circuits.is_empty()
    }
}
