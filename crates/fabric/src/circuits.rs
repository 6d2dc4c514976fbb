//! Circuits: what is known of each, and what is said about them.

mod action;
mod addresses;
mod circuit;
mod event;
mod report;
mod route;
mod snapshot;
mod table;

pub use action::{Action, DialFailure, Established};
pub use addresses::EndAddresses;
pub use circuit::{CircuitNames, CircuitView, Dial, DialId, Right, Target};
pub use event::{CircuitEvent, Course, EndReason, FailedAttempt, FailureCause};
pub use report::{
    CarriedCircuit, CarriedCircuits, CircuitFault, Claim, ForwardFault, RouteErrorCode,
    RouteFailure, RouteResult,
};
pub use route::{Egress, Forward, ForwardKind, REROUTE_ATTEMPT, Route, RouteId};
pub use snapshot::CircuitSnapshot;

pub(crate) use circuit::{Circuit, Dialing, Pending, Rerouting, State};
pub(crate) use route::forwards;
pub(crate) use table::CircuitTable;
