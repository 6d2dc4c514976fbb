//! Limits and times of the edge.

use std::time::Duration;

use crate::circuits::QueueSize;

/// How much SDKs may take, and how long they and controllers may take.
///
/// Worst-case memory of a channel: `connections` and `binds` times about 1 KiB, for each bind what
/// `token_bytes` and `name_bytes` allow, and `backlog_bytes` of data that circuits have not taken yet.
/// In all: that times `channels`, and `terminators` times what a bind takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeLimits {
    /// Channels in all.
    pub channels: usize,
    /// Channels of one identity.
    pub channels_per_identity: usize,
    /// Connections of a channel: dialed, served, and those that are being opened.
    pub connections: usize,
    /// Requests of a channel that no controller has answered, also for dials that were given up.
    pub pending_dials: usize,
    /// Connections that wait for the host.
    pub pending_offers: usize,
    /// Binds of a channel.
    pub binds: usize,
    /// Terminators in all, including those whose removal no controller has confirmed.
    pub terminators: usize,
    /// Creations of terminators that wait for their turn, and those that controllers work on. New binds
    /// are refused while there is no room to wait.
    pub creations: QueueSize,
    /// Traces of a channel that wait for their answers. Beyond it, the oldest is not answered.
    pub traces: usize,
    /// Inspections of an SDK that wait for their answers.
    pub inspections: usize,
    /// Length of a token.
    pub token_bytes: usize,
    /// Length of the id of a listener, of an instance, its secret, or a key.
    pub name_bytes: usize,
    /// Bytes of a connection that its circuit has not taken yet. Beyond it, the channel is not read, unless the
    /// SDK is the other end of the circuit itself.
    pub connection_backlog_bytes: usize,
    /// The same for all connections of a channel.
    pub backlog_bytes: usize,
    /// How long a session may be unknown after its SDK has shown it.
    pub login_time: Duration,
    /// How long a controller may take for a circuit.
    pub circuit_time: Duration,
    /// How long a host may take for a connection.
    pub offer_time: Duration,
    /// How long an SDK may take to answer questions about itself.
    pub inspection_time: Duration,
    /// Pause between checks of what time alone may end.
    pub review_interval: Duration,
}

impl EdgeLimits {
    /// Limits under which SDKs leave half of the descriptors that the process may have open to everything
    /// else: connections that are not let in yet, links, servers, controllers and files.
    #[must_use]
    pub fn within_descriptors(self, descriptors: usize) -> Self {
        let channels = self.channels.min((descriptors / 2).max(1));
        Self {
            channels,
            channels_per_identity: self.channels_per_identity.min((channels / 4).max(1)),
            ..self
        }
    }
}

impl Default for EdgeLimits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self {
            channels: 65_536,
            channels_per_identity: 4_096,
            connections: 16_384,
            pending_dials: 1_024,
            pending_offers: 1_024,
            binds: 1_024,
            terminators: 65_536,
            creations: QueueSize {
                waiting: 5_000,
                workers: 15,
            },
            traces: 16,
            inspections: 4,
            token_bytes: 16 * 1024,
            name_bytes: 1_024,
            connection_backlog_bytes: MIB,
            backlog_bytes: 8 * MIB,
            login_time: Duration::from_secs(5),
            circuit_time: Duration::from_secs(30),
            offer_time: Duration::from_secs(5),
            inspection_time: Duration::from_secs(10),
            review_interval: Duration::from_secs(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sdks_leave_descriptors_to_others() {
        let channels = |descriptors| {
            let limits = EdgeLimits::default().within_descriptors(descriptors);
            (limits.channels, limits.channels_per_identity)
        };
        assert_eq!(channels(1), (1, 1));
        assert_eq!(channels(1024), (512, 128));
        assert_eq!(channels(1 << 20), (65_536, 4_096));
    }
}
