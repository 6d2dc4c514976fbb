//! Channel options and limits.

use crate::channel_kind::{ChannelKind, ChannelSide};
use crate::frame::FrameLimits;
use crate::heartbeat::HeartbeatOptions;
use crate::outbox::QueueLimits;
use std::time::Duration;

/// Default timeout of requests.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of headers that the channel adds to a message: two for heartbeats.
const ADDED_HEADERS: u32 = 2;
/// Their maximum size.
const ADDED_HEADER_BYTES: u32 = 32;

const MIB: usize = 1024 * 1024;

/// Behavior and limits of a channel.
///
/// Worst-case memory of a channel: for each of the two queues its bytes, or one frame of
/// `send_limits` if that is more, since an empty queue accepts a frame of any size; with several
/// [flows](crate::Flow) twice its bytes and one such frame; plus about 200
/// bytes for each of `max_requests` and `max_underlays`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelOptions {
    pub kind: ChannelKind,
    /// This end of the channel.
    pub side: ChannelSide,
    /// Heartbeats, if enabled.
    pub heartbeats: Option<HeartbeatOptions>,
    /// Maximum size of sent messages.
    pub send_limits: FrameLimits,
    /// Limits of the queue with high priority.
    pub high_queue: QueueLimits,
    /// Limits of the other queue.
    pub default_queue: QueueLimits,
    /// Maximum number of requests that wait for their replies.
    pub max_requests: usize,
    /// Maximum number of connections.
    pub max_underlays: usize,
    /// How long queued frames are still sent after the channel was closed.
    pub drain_timeout: Duration,
}

impl ChannelOptions {
    /// Default options for this kind and side.
    pub const fn new(kind: ChannelKind, side: ChannelSide) -> Self {
        let (high_queue, default_queue) = queues(kind);
        let peer_side = match side {
            ChannelSide::Dialer => ChannelSide::Listener,
            ChannelSide::Listener => ChannelSide::Dialer,
        };
        let limits = kind.frame_limits(peer_side);
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
            drain_timeout: Duration::from_secs(1),
        }
    }
}

/// The queues of a channel, high priority first. What does not fit into those of a link waits at an end
/// of its circuit or is sent again from there, so they are short.
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

/// The queues of 500 routers that read nothing take less than 8 GiB in their controller, as long as
/// no message is longer than a queue.
const _: () = {
    let (high, default) = queues(ChannelKind::Control);
    assert!(500 * (high.bytes + default.bytes) < 8 * 1024 * MIB);
};
