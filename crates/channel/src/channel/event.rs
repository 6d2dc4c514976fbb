//! Events of a channel.

use crate::channel_kind::Priority;
use crate::frame::Frame;
use crate::outbox::Flow;
use crate::pending_requests::RequestId;

/// A received frame for the owner of the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Received {
    /// A message, including replies without a pending request: some are handled by their content
    /// type.
    Message(Frame),
    Reply {
        request: RequestId,
        frame: Frame,
    },
}

/// An event other than a received frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelEvent {
    /// A request gets no reply. Each request ends once: with this or with its reply.
    RequestFailed {
        request: RequestId,
        reason: RequestFailure,
    },
    /// A queue has room for a flow that waits for it: [`wait_for_room`](super::Channel::wait_for_room).
    Writable { priority: Priority, flow: Flow },
    /// The last connection is lost, and the channel waits for another. Queued frames stay queued.
    Disconnected,
    /// The channel is closed. It accepts no more messages and only sends what is queued.
    Closed { reason: CloseReason },
}

/// The reason why a request gets no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFailure {
    /// No reply in time.
    TimedOut,
    Closed,
}

/// The reason why a channel is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CloseReason {
    /// Closed by this side.
    #[error("closed by this side")]
    Requested,
    /// The required connections are lost.
    #[error("connections lost")]
    ConnectionsLost,
    /// The peer does not answer heartbeats.
    #[error("the other side does not answer heartbeats")]
    PeerUnresponsive,
}

/// A connection cannot be attached to a channel. It must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    #[error("the channel is closed")]
    Closed,
    #[error("the connection belongs to another group")]
    WrongGroup,
    #[error("the channel already has {limit} connections, the maximum")]
    TooMany {
        /// Maximum number of connections.
        limit: usize,
    },
}
