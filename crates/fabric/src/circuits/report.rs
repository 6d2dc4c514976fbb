//! What routers say about circuits.

use super::{Forward, Right, RouteId};
use crate::{Address, CircuitId, PeerData};
use portcullis_channel::Moment;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The answer to a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteResult {
    /// The route that it answers; `None` if that is not known any more.
    pub route: Option<RouteId>,
    pub circuit: CircuitId,
    /// What the host tells the client, if the router is the last.
    pub outcome: Result<PeerData, RouteFailure>,
}

/// A router has not set up a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteFailure {
    pub code: RouteErrorCode,
    pub text: String,
}

/// Why a router has not set up a route. The number on the wire is the place in this list, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RouteErrorCode {
    Generic,
    InvalidTerminator,
    MisconfiguredTerminator,
    DialTimedOut,
    ConnectionRefused,
    RejectedByApplication,
    DnsResolutionFailed,
    PortNotAllowed,
    InvalidLinkDestination,
    ResourcesNotAvailable,
}

impl RouteErrorCode {
    const ALL: [Self; 10] = [
        Self::Generic,
        Self::InvalidTerminator,
        Self::MisconfiguredTerminator,
        Self::DialTimedOut,
        Self::ConnectionRefused,
        Self::RejectedByApplication,
        Self::DnsResolutionFailed,
        Self::PortNotAllowed,
        Self::InvalidLinkDestination,
        Self::ResourcesNotAvailable,
    ];

    /// The code with a number; unknown ones are generic.
    pub fn from_wire(number: u8) -> Self {
        let code = Self::ALL.get(usize::from(number)).copied();
        code.unwrap_or(Self::Generic)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Generic => "ROUTER_ERR_GENERIC",
            Self::InvalidTerminator => "ROUTER_ERR_INVALID_TERMINATOR",
            Self::MisconfiguredTerminator => "ROUTER_ERR_MISCONFIGURED_TERMINATOR",
            Self::DialTimedOut => "ROUTER_ERR_DIAL_TIMED_OUT",
            Self::ConnectionRefused => "ROUTER_ERR_CONN_REFUSED",
            Self::RejectedByApplication => "ROUTER_ERR_REJECTED_BY_APPLICATION",
            Self::DnsResolutionFailed => "ROUTER_ERR_DNS_RESOLUTION_FAILED",
            Self::PortNotAllowed => "ROUTER_ERR_PORT_NOT_ALLOWED",
            Self::InvalidLinkDestination => "ROUTER_ERR_INVALID_LINK_DESTINATION",
            Self::ResourcesNotAvailable => "ROUTER_ERR_RESOURCES_NOT_AVAILABLE",
        }
    }
}

impl fmt::Display for RouteErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Generic => "a router could not set up the route",
            Self::InvalidTerminator => "the router does not know the terminator",
            Self::MisconfiguredTerminator => "the terminator is misconfigured",
            Self::DialTimedOut => "the host did not answer in time",
            Self::ConnectionRefused => "the host refused the connection",
            Self::RejectedByApplication => "the hosting application rejected the connection",
            Self::DnsResolutionFailed => "the name of the host could not be resolved",
            Self::PortNotAllowed => "the port is not allowed",
            Self::InvalidLinkDestination => "a router does not have the link",
            Self::ResourcesNotAvailable => "a router lacks resources",
        })
    }
}

/// One end of a circuit was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CircuitFault {
    /// Where it was dialed.
    Ingress,
    /// At the terminator.
    Egress,
}

/// A router could not forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForwardFault {
    /// For circuits of this controller.
    Own,
    /// For circuits of which the router does not know whose they are.
    UnknownOwner,
}

/// The circuits that a router carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedCircuits {
    /// When the router was asked.
    pub asked: Moment,
    pub circuits: Vec<CarriedCircuit>,
    /// Whether these are all. If not, a circuit that is not among them may be carried as well.
    pub is_complete: bool,
}

/// A circuit that a router carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedCircuit {
    pub id: CircuitId,
    /// Where the router forwards to, ends of the circuit that it does not have any more left out.
    /// [`ForwardKind::Start`](super::ForwardKind::Start) and `End` mean the same, an end on this
    /// router.
    pub forwards: Vec<Forward>,
    pub claim: Claim,
}

/// What a router says of the origin of a circuit, as far as it knows, and how that was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: the circuit was dialed at another router, or long ago.
    Unknown,
    /// The circuit was dialed here, and may be.
    Granted {
        ingress: Address,
        right: Right,
        /// For logs and usage reports of routers.
        tags: Arc<BTreeMap<String, String>>,
    },
    /// The circuit was dialed here, and may not be.
    Refused,
}
