//! What a channel tells its owner.

use crate::frame::Frame;
use crate::kind::Priority;
use crate::requests::RequestId;

/// What became of a frame that arrived, if it is for the channel's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Received {
    /// A message, a reply that nothing waits for among them: some are meant to be handled by their
    /// content type.
    Message(Frame),
    /// The reply to a request.
    Reply {
        /// The request.
        request: RequestId,
        /// The reply.
        frame: Frame,
    },
}

/// What happened besides frames that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelEvent {
    /// A request gets no reply. Each request ends once: with this or with its reply.
    RequestFailed {
        /// The request.
        request: RequestId,
        /// Why.
        why: RequestFailure,
    },
    /// A queue that has refused something has room again.
    Writable {
        /// Which queue.
        priority: Priority,
    },
    /// The last connection is lost, and the channel waits for another one. What is queued stays queued.
    Disconnected,
    /// The channel is closed. It takes no more and gives no more than what is queued.
    Closed {
        /// Why.
        reason: CloseReason,
    },
}

/// Why a request gets no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFailure {
    /// None came in time.
    TimedOut,
    /// The channel was closed.
    Closed,
}

/// Why a channel is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CloseReason {
    /// Our side wants it.
    #[error("closed by this side")]
    Requested,
    /// The connections that it cannot do without are lost.
    #[error("connections lost")]
    ConnectionsLost,
    /// The other side answers no heartbeats.
    #[error("the other side does not answer heartbeats")]
    PeerUnresponsive,
}

/// Why a connection cannot be part of a channel. It has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    /// The channel is closed.
    #[error("the channel is closed")]
    Closed,
    /// The connection was admitted to another group.
    #[error("the connection belongs to another group")]
    OtherGroup,
    /// The channel has as many as it may have.
    #[error("the channel has {limit} connections already, which is the most it may have")]
    TooMany {
        /// How many it may have.
        limit: usize,
    },
}
