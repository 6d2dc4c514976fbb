//! Routes of circuits: what is dialed for them, and what controllers are answered.

use futures_util::future::BoxFuture;
use portcullis_router::edge::{CircuitId, ControllerId};
use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::peer_data::PeerData;
use tokio::time::Instant;

/// Dials what a terminator leads to, for circuits that end at this router: one for each binding.
pub(crate) trait Dialer: Send + Sync {
    /// Dials, and attaches the terminating end to the relay at [`DialRequest::address`]. Returns what the
    /// initiating end is told.
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>>;
}

/// What a route asks to be dialed.
#[derive(Debug, Clone)]
pub(crate) struct DialRequest {
    pub(crate) circuit: CircuitId,
    /// Of the route.
    pub(crate) attempt: u32,
    /// The controller that the circuit belongs to.
    pub(crate) controller: ControllerId,
    /// Address of the terminating end.
    pub(crate) address: String,
    /// Address of the terminator.
    pub(crate) destination: String,
    /// Of the initiating end.
    pub(crate) peer_data: PeerData,
    /// When the controller gives up.
    pub(crate) deadline: Instant,
}

/// Why something could not be dialed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct DialFailure {
    /// A text for people.
    pub(crate) reason: String,
    pub(crate) failure: RouteFailure,
}
