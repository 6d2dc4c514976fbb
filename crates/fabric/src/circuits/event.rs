//! What has happened to circuits, for those who watch.

use super::{CircuitNames, CircuitSnapshot, EndAddresses, Right, RouteErrorCode, Target};
use crate::{ChoiceError, CircuitId, Path};
use portcullis_channel::Moment;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// News about circuits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CircuitEvent {
    /// All routers of the path have confirmed.
    Created(Box<CircuitSnapshot>),
    /// The controller has been restarted, and has learned of a circuit that is in use.
    Adopted(CircuitId),
    /// The circuit takes another path.
    PathChanged(Box<CircuitSnapshot>),
    /// One attempt to dial has failed.
    Failed {
        attempt: Box<FailedAttempt>,
        cause: FailureCause,
    },
    /// A circuit that was created or adopted is no more.
    Ended {
        circuit: Box<CircuitSnapshot>,
        reason: EndReason,
    },
}

/// An attempt to dial that has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAttempt {
    pub names: CircuitNames,
    pub right: Right,
    /// The instance of the service that was asked for; empty for terminators without one.
    pub instance: String,
    /// `None` if there was nowhere to go.
    pub course: Option<Course>,
    /// For logs and usage reports of routers.
    pub tags: Arc<BTreeMap<String, String>>,
    /// When the circuit was asked for, before its first attempt.
    pub began: Moment,
}

/// Where an attempt was to lead to, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    pub path: Path,
    pub target: Arc<Target>,
    pub addresses: Arc<EndAddresses>,
    /// Cost of path and terminator.
    pub cost: u32,
}

/// Why a circuit has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndReason {
    /// One of its ends has closed it.
    Closed,
    /// An administrator has removed it.
    Removed,
    /// What allowed it does so no more.
    RightEnded,
    ServiceRemoved,
    /// Unused for longer than the service allows.
    Idle,
    /// No path was left.
    NoPath,
    /// A router where it begins or ends is gone, or has forgotten it.
    RouterLost,
    /// Routers did not take another path, or could not forward on it.
    RerouteFailed,
}

/// Why a dial, or an attempt of it, has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureCause {
    /// There is no such service.
    InvalidService,
    /// The names are in use.
    NamesInUse,
    Choice(ChoiceError),
    /// A link of the path was lost meanwhile.
    LinkLost,
    /// A router of the path was lost meanwhile.
    RouterLost,
    /// A router has not answered in time.
    Timeout,
    Router(RouteErrorCode),
    /// The host has sent no key, but the service requires encryption.
    NoHostKey,
    /// The router or the service has the maximum number of circuits.
    TooManyCircuits,
    /// A router has yet to answer the maximum number of dials.
    TooManyDials,
    /// What allowed the dial does so no more.
    RightEnded,
    /// The client or the dialing router is gone, or the circuit was removed.
    Cancelled,
}

impl FailureCause {
    /// The name in events; OpenZiti's where it has one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidService => "INVALID_SERVICE",
            Self::NamesInUse => "ID_GENERATION_ERR",
            Self::Choice(ChoiceError::NoTerminators) => "NO_TERMINATORS",
            Self::Choice(ChoiceError::NoOnlineTerminators) => "NO_ONLINE_TERMINATORS",
            Self::Choice(ChoiceError::NoPath) => "NO_PATH",
            Self::LinkLost => "PATH_MISSING_LINK",
            Self::RouterLost => "ROUTER_LOST",
            Self::Timeout => "ROUTER_RESPONSE_TIMEOUT",
            Self::Router(code) => code.name(),
            Self::NoHostKey => "NO_HOST_KEY",
            Self::TooManyCircuits => "TOO_MANY_CIRCUITS",
            Self::TooManyDials => "TOO_MANY_DIALS",
            Self::RightEnded => "RIGHT_ENDED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

impl fmt::Display for FailureCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidService => formatter.write_str("the service does not exist"),
            Self::NamesInUse => formatter.write_str("the id of the circuit is in use"),
            Self::Choice(error) => error.fmt(formatter),
            Self::LinkLost => formatter.write_str("a link of the path was lost"),
            Self::RouterLost => formatter.write_str("a router of the path was lost"),
            Self::Timeout => formatter.write_str("a router did not answer in time"),
            Self::Router(code) => code.fmt(formatter),
            Self::NoHostKey => formatter.write_str("the host has sent no key for encryption"),
            Self::TooManyCircuits => formatter.write_str("there are too many circuits"),
            Self::TooManyDials => {
                formatter.write_str("too many dials wait for the answer of a router")
            },
            Self::RightEnded => formatter.write_str("the client may not dial the service any more"),
            Self::Cancelled => formatter.write_str("the dial was cancelled"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_have_the_names_of_openziti_where_it_has_one() {
        use FailureCause as F;
        for (cause, name) in [
            (F::InvalidService, "INVALID_SERVICE"),
            (F::NamesInUse, "ID_GENERATION_ERR"),
            (F::Choice(ChoiceError::NoTerminators), "NO_TERMINATORS"),
            (
                F::Choice(ChoiceError::NoOnlineTerminators),
                "NO_ONLINE_TERMINATORS",
            ),
            (F::Choice(ChoiceError::NoPath), "NO_PATH"),
            (F::LinkLost, "PATH_MISSING_LINK"),
            (F::Timeout, "ROUTER_RESPONSE_TIMEOUT"),
            (F::Router(RouteErrorCode::Generic), "ROUTER_ERR_GENERIC"),
            (
                F::Router(RouteErrorCode::ConnectionRefused),
                "ROUTER_ERR_CONN_REFUSED",
            ),
            // It has none for these.
            (F::RouterLost, "ROUTER_LOST"),
            (F::NoHostKey, "NO_HOST_KEY"),
            (F::TooManyCircuits, "TOO_MANY_CIRCUITS"),
            (F::TooManyDials, "TOO_MANY_DIALS"),
            (F::RightEnded, "RIGHT_ENDED"),
            (F::Cancelled, "CANCELLED"),
        ] {
            assert_eq!(cause.name(), name);
        }
    }
}
