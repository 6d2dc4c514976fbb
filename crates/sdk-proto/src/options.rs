//! Options of a channel, and what it may hold.

use portcullis_xgress as xgress;
use std::sync::Arc;
use std::time::Duration;

/// Options of an [`EdgeChannel`](crate::EdgeChannel).
///
/// Worst-case memory of a connection whose circuit ends here is that of [`xgress::Options`], and what
/// has arrived once more while it ends. If the circuit ends in the router, it is `send_buffer`, four times
/// `receive_buffer` and one message of the router.
#[derive(Debug, Clone)]
pub struct EdgeOptions {
    /// Whether what is sent arrives in order: the channel has at most one connection for data. If not,
    /// all circuits have to end here.
    pub is_ordered: bool,
    /// Of circuits that end here.
    pub xgress: Arc<xgress::Options>,
    /// Connections at the same time, with those that are being dialed or offered.
    pub max_connections: usize,
    pub max_binds: usize,
    /// Most bytes of what is written that travel as one message, before encryption.
    pub max_segment: usize,
    /// If the circuit ends in the router: weight of what may wait to be sent.
    pub send_buffer: usize,
    /// If the circuit ends in the router: weight of what may wait to be read before the whole channel
    /// is not read any more. Such circuits have no other way to slow the other end down.
    pub receive_buffer: usize,
    /// Messages to the router, and events, that may wait before the channel is not read any more.
    pub max_waiting: usize,
    /// How long a router may take to answer a bind.
    pub bind_timeout: Duration,
    /// How long the owner may take to answer an incoming dial. Routers wait for 5 s.
    pub offer_timeout: Duration,
    /// How long before a token expires another one is asked for; half of its life if that is less.
    pub token_margin: Duration,
    /// How long a router may take to answer a token.
    pub token_timeout: Duration,
    pub probe_interval: Duration,
    /// How long after a probe anything of the router has to arrive.
    pub probe_timeout: Duration,
}

impl Default for EdgeOptions {
    fn default() -> Self {
        Self {
            is_ordered: true,
            xgress: Arc::new(xgress::Options::default()),
            max_connections: 4_096,
            max_binds: 256,
            max_segment: 32 << 10,
            send_buffer: 256 << 10,
            receive_buffer: 1 << 20,
            max_waiting: 1_024,
            bind_timeout: Duration::from_secs(10),
            offer_timeout: Duration::from_millis(4_500),
            token_margin: Duration::from_mins(1),
            token_timeout: Duration::from_secs(10),
            probe_interval: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(10),
        }
    }
}
