//! What channels and the table of terminators tell each other.

use std::sync::Arc;

use bytes::Bytes;
use portcullis_wire::edge::{ConnectionId, ConnectionKind};
use portcullis_wire::{Precedence, Secret, Token};

use super::access::{ApiSession, ServiceSession};
use super::circuit::Flow;
use super::names::ChannelId;
use super::refusal::Refusal;

/// A bind, by what its channel calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BindKey {
    pub channel: ChannelId,
    pub connection: ConnectionId,
    /// Distinguishes binds that have had the same id, one after another.
    pub serial: u64,
}

/// From a channel to [`Hosting`](super::Hosting).
#[derive(Debug, Clone, PartialEq)]
pub enum HostRequest {
    /// Answered by [`HostEvent::Bound`] or [`HostEvent::Refused`].
    Bind(Box<BindRequest>),
    Unbind(BindKey),
    Update {
        bind: BindKey,
        /// `None` leaves it as it is.
        cost: Option<u16>,
        /// `None` leaves it as it is.
        precedence: Option<Precedence>,
    },
    /// The outcome of a health check.
    Health {
        bind: BindKey,
        has_passed: bool,
    },
    /// The answer to [`HostEvent::Inspect`]; `None` if there was none in time.
    Inspected {
        bind: BindKey,
        kind: Option<ConnectionKind>,
    },
    /// The session of a channel has another token.
    Renewed(ChannelId, Box<ApiSession>),
    /// The channel has ended, and with it all its binds.
    Ended(ChannelId),
}

/// A bind that its session permits.
#[derive(Debug, Clone, PartialEq)]
pub struct BindRequest {
    pub bind: BindKey,
    pub session: ApiSession,
    pub service_session: ServiceSession,
    /// Of the session for the service.
    pub token: Token,
    /// Of the client's certificates, leaf first.
    pub fingerprints: Arc<[String]>,
    pub listener: Option<Bytes>,
    pub terms: BindTerms,
    /// The SDK answers [`HostEvent::Inspect`].
    pub supports_inspect: bool,
    /// Circuits end at the SDK, or else at the router.
    pub flow: Flow,
    /// The router numbers the connections of dials.
    pub router_provides: bool,
}

/// What a controller is told of a terminator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BindTerms {
    pub public_key: Option<Bytes>,
    pub cost: u16,
    pub precedence: Precedence,
    pub instance: String,
    pub instance_secret: Secret<Bytes>,
}

/// From [`Hosting`](super::Hosting) to the channel of a bind.
#[derive(Debug, Clone, PartialEq)]
pub enum HostEvent {
    /// The bind stands at this router.
    Bound,
    /// It does not.
    Refused(Refusal),
    /// A controller has the terminator.
    Established,
    /// The bind has ended.
    Ended(Refusal),
    /// Ask the SDK what the connection is. Answered by [`HostRequest::Inspected`].
    Inspect,
}
