//! What the owner of a channel is told.

use crate::refusal::Refusal;
use bytes::Bytes;
use portcullis_e2e_encryption::OpenError;
use portcullis_wire::Secret;
use portcullis_wire::edge::{ConnectionId, PostureStateChange, ServiceChangeSet};
use portcullis_xgress::EndReason;
use std::time::Duration;

/// A bind, by the number that it has within its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BindId(pub ConnectionId);

/// An event of an [`EdgeChannel`](crate::EdgeChannel).
#[derive(Debug, Clone, PartialEq)]
pub enum EdgeEvent {
    /// A dial has succeeded.
    Connected(Connected),
    /// A dial has failed. The connection does not exist any more.
    DialFailed {
        connection: ConnectionId,
        why: DialFailure,
    },
    /// Dials of the service may arrive from now on.
    Bound(BindId),
    /// The bind does not exist any more. Its connections go on.
    BindEnded {
        bind: BindId,
        why: BindEnd,
        /// Whether it was [`Bound`](Self::Bound).
        was_bound: bool,
    },
    /// Somebody dials: [`accept`](crate::EdgeChannel::accept) or
    /// [`refuse`](crate::EdgeChannel::refuse).
    Offered(Box<Offer>),
    /// An offer is over before it was answered. The connection does not exist any more.
    OfferEnded(ConnectionId),
    /// A read found nothing, and would find something now.
    Readable(ConnectionId),
    /// A write found no room, and would find some now, or would fail.
    Writable(ConnectionId),
    /// The connection is over: nothing can be written. What has arrived can still be read, until
    /// [`close`](crate::EdgeChannel::close).
    Closed {
        connection: ConnectionId,
        why: CloseReason,
    },
    /// The answer to a trace.
    Traced(TraceAnswer),
    /// The access token expires soon: [`update_token`](crate::EdgeChannel::update_token).
    TokenNeeded,
    /// The router has taken the new access token.
    TokenAccepted,
    /// The router has refused the new access token. The channel ends.
    TokenRefused(Refusal),
    /// Services and policies of the identity have changed, as
    /// [`subscribe`](crate::EdgeChannel::subscribe) asks for.
    Services(Box<ServiceChangeSet>),
    /// Which posture checks and policies the SDK passes has changed.
    PostureState(Box<PostureStateChange>),
    /// The channel is over, and so are all its binds, offers, dials and connections, of which each was told of
    /// before. Its connections to the router have to be closed.
    Ended(ChannelEnd),
}

impl EdgeEvent {
    /// The connection that it is about, from its dial or offer on.
    pub fn connection(&self) -> Option<ConnectionId> {
        match self {
            Self::Connected(connected) => Some(connected.connection),
            Self::Offered(offer) => Some(offer.connection),
            Self::Traced(answer) => Some(answer.connection),
            Self::DialFailed { connection, .. }
            | Self::OfferEnded(connection)
            | Self::Readable(connection)
            | Self::Writable(connection)
            | Self::Closed { connection, .. } => Some(*connection),
            Self::Bound(_)
            | Self::BindEnded { .. }
            | Self::TokenNeeded
            | Self::TokenAccepted
            | Self::TokenRefused(_)
            | Self::Services(_)
            | Self::PostureState(_)
            | Self::Ended(_) => None,
        }
    }
}

/// A connection that was dialed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    pub connection: ConnectionId,
    pub circuit_id: Option<String>,
    /// Whether only the hosting end can read what is written.
    pub is_encrypted: bool,
    /// With it, another dial reaches the same terminator.
    pub stickiness_token: Option<Bytes>,
}

/// A connection that somebody else dials.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    pub connection: ConnectionId,
    pub bind: BindId,
    pub circuit_id: Option<String>,
    /// What the dialing program calls itself; nobody has verified that.
    pub caller_id: Option<String>,
    /// The identity that dials, as the router knows it.
    pub identity_id: Option<String>,
    pub identity_name: Option<String>,
    /// Of the dialing program.
    pub app_data: Option<Secret<Bytes>>,
    /// Names the connection in logs of both ends.
    pub marker: Option<String>,
    pub is_encrypted: bool,
}

/// Why a dial has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialFailure {
    #[error("the router refuses the dial: {0}")]
    Refused(Refusal),
    #[error("the dial took too long")]
    TimedOut,
    /// The dial had a key, and the hosting end has none.
    #[error("the hosting end has no key, so the connection would not be encrypted")]
    NotEncrypted,
    #[error("the hosting end has a key that cannot be used")]
    UnusableKey,
    /// The router ends the circuit itself, and what it sends over several connections may overtake itself.
    #[error("the router cannot keep the order of what it sends")]
    NotOrdered,
    /// The circuit is said to end here, and has no name.
    #[error("the router names no circuit")]
    NoCircuit,
    #[error("the channel has ended")]
    ChannelEnded,
}

impl DialFailure {
    /// Whether another attempt may succeed without anybody changing something.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_retryable(),
            Self::TimedOut | Self::ChannelEnded => true,
            Self::NotEncrypted | Self::UnusableKey | Self::NotOrdered | Self::NoCircuit => false,
        }
    }
}

/// Why a bind is over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindEnd {
    #[error("the router ends the bind: {0}")]
    Refused(Refusal),
    #[error("the router has not answered the bind")]
    TimedOut,
    #[error("the channel has ended")]
    ChannelEnded,
}

/// Why a connection is over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CloseReason {
    /// Both directions have ended.
    #[error("both directions have ended")]
    Finished,
    /// The other end has closed.
    #[error("the other end has closed the connection")]
    Peer,
    /// The circuit is over otherwise.
    #[error("the circuit is over: {0}")]
    Circuit(#[from] EndReason),
    /// The router has ended it.
    #[error("the router has ended the connection: {0}")]
    Router(Refusal),
    #[error(transparent)]
    NotAuthentic(#[from] OpenError),
    /// Several messages in one that cannot be told apart.
    #[error("the other end has sent messages that cannot be told apart")]
    Malformed,
    /// More has arrived than is held for a connection.
    #[error("more has arrived than a connection may hold")]
    Overflow,
    #[error("the channel has ended")]
    ChannelEnded,
}

impl CloseReason {
    /// Whether all that the other end has sent has arrived, as far as that can be known.
    pub const fn is_complete(&self) -> bool {
        matches!(self, Self::Finished | Self::Peer)
    }
}

/// The answer to a trace of a connection's way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceAnswer {
    pub connection: ConnectionId,
    /// How many of the hops were left.
    pub hops_left: u32,
    /// Who answers: `forwarder`, `xgress/edge`, `sdk/golang` and others.
    pub hop_kind: String,
    pub hop_id: String,
    pub round_trip: Duration,
    /// A text for people.
    pub error: Option<String>,
}

/// Why a channel is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChannelEnd {
    #[error("closed by this side")]
    Requested,
    #[error("the connections to the router are lost")]
    Disconnected,
    #[error("the router does not answer")]
    Unresponsive,
    #[error("the router has refused the access token")]
    TokenRefused,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Read {
    /// Never empty. Borders between writes are not kept.
    Data(Bytes),
    /// The other end sends nothing more.
    Finished,
}

/// Why nothing can be read any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("there is no such open connection")]
    NotOpen,
    #[error(transparent)]
    Closed(CloseReason),
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// [`EdgeEvent::Writable`] says when there is room.
    #[error("too much is on its way")]
    Blocked,
    /// This direction was finished.
    #[error("the stream has been finished")]
    Finished,
    /// The other end does not read any more.
    #[error("nobody reads it any more")]
    Stopped,
    #[error(transparent)]
    Closed(CloseReason),
    #[error("there is no such open connection")]
    NotOpen,
}
