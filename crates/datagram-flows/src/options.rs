//! Times and limits.

use std::time::Duration;

/// Times and limits.
///
/// Worst-case memory: about 500 bytes for each of `max_flows`, and `max_waiting_bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowOptions {
    /// `udpIdleTimeout`: how long a flow may go without a datagram in either direction.
    pub idle_timeout: Duration,
    /// How long a flow drops its datagrams after its dial failed.
    pub failure_pause: Duration,
    pub max_flows: usize,
    /// Flows of one client address; at its limit, a new one takes the place of an old one.
    pub max_flows_of_client: usize,
    /// Datagrams that wait for the circuit of one flow.
    pub max_waiting_of_flow: usize,
    /// Bytes that wait for the circuit of one flow: room for the longest datagram.
    pub max_waiting_bytes_of_flow: usize,
    /// Bytes that wait for circuits, of all flows together.
    pub max_waiting_bytes: usize,
}

impl Default for FlowOptions {
    fn default() -> Self {
        Self {
            idle_timeout: Duration::from_mins(5),
            failure_pause: Duration::from_secs(1),
            max_flows: 32_768,
            max_flows_of_client: 16_384,
            max_waiting_of_flow: 32,
            max_waiting_bytes_of_flow: 64 << 10,
            max_waiting_bytes: 16 << 20,
        }
    }
}
