//! The controller's picture of the network, in memory.
//!
//! Routers make links between themselves and report them; the controller chooses paths over them. This
//! crate is the part of the controller that knows and decides. It opens no sockets, reads no clock and
//! draws no random numbers: the caller passes reports, instants and random numbers, and polls for output.
//!
//! # Who may say what
//!
//! A [`RouterSession`] stands for one control channel of a router whose certificate was verified. Every
//! report comes with the session that it arrived on, and is judged by that session alone: ids inside a
//! report are data. Reports of a session that was replaced or has ended are ignored.

mod ids;
mod network;
mod terminators;

pub use ids::{IdLengthError, LinkId};
pub use network::{
    FaultKind, Link, LinkConnection, LinkConnections, LinkEvent, LinkFault, LinkRefusal,
    LinkReport, LinkState, Network, NetworkOptions, NetworkOutput, Path, Paths, RouterSession,
    RouterSlot, RouterSpec,
};
pub use portcullis_channel::Moment;
pub use terminators::{
    Choice, ChoiceError, Chosen, PeerData, Terminator, TerminatorCost, Terminators,
};
