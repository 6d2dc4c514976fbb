//! What is to be done.

use super::{DialId, FailureCause, Route, RouteId};
use crate::{Address, CircuitId, LinkId, PeerData, RouterSession};
use portcullis_domain::ids::TerminatorId;

/// What the owner of a [`Fabric`](crate::Fabric) has to do, in this order.
///
/// A message for a session that has ended may be dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Send a route. The reply to it is handed to
    /// [`handle_route_result`](crate::Fabric::handle_route_result) with the same id.
    Route {
        to: RouterSession,
        id: RouteId,
        route: Route,
    },
    /// Tell a router to forget a circuit.
    Unroute {
        to: RouterSession,
        circuit: CircuitId,
        /// At once, instead of after what is on its way.
        now: bool,
    },
    /// Tell a router to close a link, unless it has a newer iteration of it.
    CloseLink {
        to: RouterSession,
        link: LinkId,
        iteration: u32,
    },
    /// Answer the router that has dialed.
    Answer {
        to: RouterSession,
        dial: DialId,
        circuit: CircuitId,
        result: Result<Established, DialFailure>,
    },
    /// Ask a router which circuits it carries. The answer is handed to
    /// [`handle_carried`](crate::Fabric::handle_carried); a router that cannot tell is not answered
    /// for.
    AskForCircuits { to: RouterSession },
    /// Delete a terminator: its router does not know it any more.
    DeleteTerminator { terminator: TerminatorId },
    /// Set the precedence of a terminator to `failed`: its router cannot use it.
    DegradeTerminator { terminator: TerminatorId },
}

/// The answer to a dial that has succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Established {
    /// The end where the circuit was dialed.
    pub ingress: Address,
    pub terminator: TerminatorId,
    /// Id of the hosting identity.
    pub host: String,
    pub binding: String,
    /// What terminator and host tell the client.
    pub peer_data: PeerData,
}

/// The answer to a dial that has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}{}{text}", if text.is_empty() { "" } else { ": " })]
pub struct DialFailure {
    pub cause: FailureCause,
    /// What a router says about it; not to be trusted.
    pub text: String,
}
