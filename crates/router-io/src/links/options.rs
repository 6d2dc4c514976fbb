//! Options of the channels of links.

use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, QueueLimits};
use portcullis_router::links::LinkSettings;

/// Connections of one link: as many as a dialer's file can ask for.
const MAX_CONNECTIONS: usize = 200;

/// Bytes that are reserved for each message that may wait. A queue is full when either limit is reached.
const BYTES_PER_PAYLOAD: usize = 32 * 1024;
const BYTES_PER_ACKNOWLEDGMENT: usize = 16 * 1024;

/// Bytes of a queue at most, however many messages the file lets wait.
const MAX_QUEUE_BYTES: usize = 64 * 1024 * 1024;

pub(super) fn channel_options(settings: &LinkSettings, side: ChannelSide) -> ChannelOptions {
    let queue = |frames: usize, bytes: usize| QueueLimits {
        frames,
        bytes: frames.saturating_mul(bytes).min(MAX_QUEUE_BYTES),
    };
    ChannelOptions {
        heartbeats: Some(settings.heartbeats),
        default_queue: queue(settings.payload_queue, BYTES_PER_PAYLOAD),
        high_queue: queue(settings.acknowledgment_queue, BYTES_PER_ACKNOWLEDGMENT),
        max_underlays: MAX_CONNECTIONS,
        ..ChannelOptions::new(ChannelKind::Link, side)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use portcullis_channel::HeartbeatOptions;

    use super::*;

    #[test]
    fn queues_hold_what_the_file_lets_wait_within_bounds() {
        let settings = |payload_queue, acknowledgment_queue| LinkSettings {
            dialers: Vec::new(),
            listeners: Vec::new(),
            heartbeats: HeartbeatOptions {
                send_interval: Duration::from_secs(10),
                check_interval: Duration::from_secs(1),
                answer_within: Duration::from_millis(1),
                close_after: Duration::from_secs(30),
                grace: Duration::ZERO,
            },
            payload_queue,
            acknowledgment_queue,
        };
        let queues = |settings: &LinkSettings| {
            let options = channel_options(settings, ChannelSide::Dialer);
            [options.default_queue, options.high_queue].map(|queue| (queue.frames, queue.bytes))
        };
        assert_eq!(
            queues(&settings(3, 7)),
            [(3, 3 * 32 * 1024), (7, 7 * 16 * 1024)]
        );
        let unbounded = settings(1 << 20, usize::MAX);
        assert_eq!(
            queues(&unbounded),
            [(1 << 20, 64 << 20), (usize::MAX, 64 << 20)]
        );
    }
}
