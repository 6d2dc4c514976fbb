//! How much clients may ask for.

use portcullis_events::BURST_EVENTS;
use std::time::Duration;

/// Longest message of a client, in bytes.
pub const MAX_MESSAGE: usize = 1024 * 1024;

/// How long a client may take nothing of what is sent to it.
pub const WRITE_STALL: Duration = Duration::from_secs(30);

/// Limits of what clients may have at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelLimits {
    /// Channels of all identities.
    pub channels: usize,
    pub channels_per_identity: usize,
    /// Requests for events that one channel may make; each has a queue of its own.
    pub event_requests: usize,
    /// Subscriptions in all of them.
    pub subscriptions: usize,
    /// Events that may wait in the queue of one request; [`BURST_EVENTS`] by default, since they come at once.
    pub queued_events: usize,
    /// Validations and inspections of one channel that run at a time.
    pub running_queries: usize,
}

impl Default for ChannelLimits {
    fn default() -> Self {
        Self {
            channels: 64,
            channels_per_identity: 16,
            event_requests: 16,
            subscriptions: 64,
            queued_events: usize::try_from(BURST_EVENTS).unwrap_or(usize::MAX),
            running_queries: 8,
        }
    }
}
