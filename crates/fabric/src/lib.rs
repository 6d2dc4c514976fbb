//! The controller's picture of the network, in memory.
//!
//! Routers make links between themselves and report them; the controller chooses terminators and paths
//! over them, tells routers about circuits, and removes what may not be. This crate is the part of the
//! controller that knows and decides. It opens no sockets, reads no clock and draws no random numbers:
//! the caller passes reports, instants and random numbers, and polls for actions, events and deadlines.
//!
//! ```text
//! records, sessions, reports, dials --> Fabric --> poll_action, poll_event, poll_timeout
//!
//! Fabric = Network      routers and links, cheapest paths
//!        + Terminators  costs that follow from use, strategies
//!        + circuits     routes, other paths, ends
//! ```
//!
//! # Who may say what
//!
//! A [`RouterSession`] stands for one control channel of a router whose certificate was verified. Every
//! report comes with the session that it arrived on, and is judged by that session alone: ids inside a
//! report are data. Reports of a session that was replaced or has ended are ignored.
//!
//! # The life of a circuit
//!
//! 1. A router asks for a circuit. Whether it may is judged by the caller, whose [`Dial`] carries the
//!    [`Right`].
//! 2. A terminator is chosen, and the cheapest path to it. All routers of the path get a [`Route`] at
//!    the same time, and have ten seconds to confirm.
//! 3. If one fails, another terminator is tried. The dialing router gets an answer in any case.
//! 4. An open circuit leaves links and routers that are lost, keeping its ends. Until all routers of the
//!    new path have confirmed, the old one counts. Without a path it waits for ten seconds.
//! 5. It ends when one of its ends says so, when it is idle for too long, when an administrator removes
//!    it, and at once when its right ends ([`Fabric::retain_circuits`], [`Right::until`]).
//!
//! A router that loses its control channel has ten seconds to come back; what it carries goes on
//! meanwhile. Each router that connects is asked what it carries: what it has forgotten, it gets again;
//! what it should have forgotten, it is told to; and what only the controller does not know, because
//! that was restarted, is adopted.
//!
//! # Guarantees
//!
//! - Each dial is answered once, unless its session ends before.
//! - A circuit that has ended leaves no route: routers out of reach are told when they return, and late
//!   answers are answered with an unroute.
//! - Every collection that a router can fill has a limit, in [`FabricOptions`] or [`NetworkOptions`].
//! - The same calls lead to the same output.
//!
//! `examples/one_circuit.rs` builds a small network and routes a circuit.

mod circuits;
mod fabric;
mod ids;
mod network;
mod terminators;

pub use circuits::{
    Action, CarriedCircuit, CarriedCircuits, CircuitEvent, CircuitFault, CircuitNames,
    CircuitSnapshot, CircuitView, Claim, Course, Dial, DialFailure, DialId, Egress, EndAddresses,
    EndReason, Established, FailedAttempt, FailureCause, Forward, ForwardFault, ForwardKind,
    REROUTE_ATTEMPT, Right, Route, RouteErrorCode, RouteFailure, RouteId, RouteResult, Target,
};
pub use fabric::{Fabric, FabricEvent, FabricOptions, Service, SmartRerouting};
pub use ids::{Address, CircuitId, IdLengthError, LinkId};
pub use network::{
    FaultKind, Link, LinkConnection, LinkConnections, LinkEvent, LinkFault, LinkRefusal,
    LinkReport, LinkState, Network, NetworkOptions, NetworkOutput, Path, Paths, RouterEvent,
    RouterSession, RouterSlot, RouterSpec,
};
pub use portcullis_channel::Moment;
pub use terminators::{
    Choice, ChoiceError, Chosen, PeerData, Terminator, TerminatorCost, TerminatorCounts,
    Terminators,
};
