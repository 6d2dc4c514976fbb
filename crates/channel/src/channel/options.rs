//! What a channel is used for, and what it may hold.

use crate::frame::FrameLimits;
use crate::heartbeat::HeartbeatOptions;
use crate::kind::{ChannelKind, Side};
use crate::outbox::QueueLimits;
use std::time::Duration;

/// How long a reply is waited for, where nothing else is known.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Headers of the channel's own that may be added to a message: two for heartbeats.
const ADDED_HEADERS: u32 = 2;
/// What they take.
const ADDED_HEADER_BYTES: u32 = 32;

const MIB: usize = 1024 * 1024;

/// How a channel behaves, and what it may hold.
///
/// Worst-case memory of a channel: for each of the two queues its bytes, or one frame of `send_limits`
/// where that is more, since an empty queue takes a frame of any size; plus about 200 bytes for each of
/// `max_requests` and `max_underlays`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelOptions {
    /// What the channel is used for.
    pub kind: ChannelKind,
    /// Which side of it this is.
    pub side: Side,
    /// Heartbeats, if there are any.
    pub heartbeats: Option<HeartbeatOptions>,
    /// How long messages of ours may be.
    pub send_limits: FrameLimits,
    /// What may wait to be sent with high priority.
    pub high_queue: QueueLimits,
    /// What else may wait to be sent.
    pub default_queue: QueueLimits,
    /// Requests that may wait for their replies.
    pub max_requests: usize,
    /// Connections.
    pub max_underlays: usize,
    /// How long queued frames are still sent after the channel was closed.
    pub drain: Duration,
}

impl ChannelOptions {
    /// The options for such a channel.
    pub const fn new(kind: ChannelKind, side: Side) -> Self {
        let (high_queue, default_queue) = queues(kind);
        let sent_to = match side {
            Side::Dialer => Side::Listener,
            Side::Listener => Side::Dialer,
        };
        let limits = kind.frame_limits(sent_to);
        Self {
            kind,
            side,
            heartbeats: kind.heartbeats(side),
            send_limits: FrameLimits {
                header_block: limits.header_block - ADDED_HEADER_BYTES,
                header_count: limits.header_count - ADDED_HEADERS,
                ..limits
            },
            high_queue,
            default_queue,
            max_requests: 4096,
            max_underlays: 16,
            drain: Duration::from_secs(1),
        }
    }
}

/// The queues of such a channel, urgent one first. A link drops what does not fit, and what was dropped
/// is sent again end to end; so its queues are short.
const fn queues(kind: ChannelKind) -> (QueueLimits, QueueLimits) {
    match kind {
        ChannelKind::Control => (queue(1024, 8 * MIB), queue(1024, 8 * MIB)),
        ChannelKind::Link => (queue(64, MIB), queue(128, 4 * MIB)),
        ChannelKind::Edge | ChannelKind::Management => (queue(256, MIB), queue(256, 4 * MIB)),
    }
}

const fn queue(frames: usize, bytes: usize) -> QueueLimits {
    QueueLimits { frames, bytes }
}

/// Five hundred routers that read nothing hold less than 8 GiB in the queues of their controller, as long
/// as no message to them is longer than a queue.
const _: () = {
    let (high, default) = queues(ChannelKind::Control);
    assert!(500 * (high.bytes + default.bytes) < 8 * 1024 * MIB);
};
