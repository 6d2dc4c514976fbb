//! Times and limits.

use std::time::Duration;

/// Times and limits, with the defaults of OpenZiti where it has them. Each names its key in the section
/// `forwarder` of the router's file.
///
/// Worst-case memory: about 500 bytes for each of `max_circuits`, and 200 for each further forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForwardingOptions {
    /// `xgressCloseCheckInterval`: how long a circuit that was unrouted may go on without traffic.
    pub close_check_interval: Duration,
    /// `idleCircuitTimeout`: from when on a circuit counts as idle.
    pub idle_timeout: Duration,
    /// `idleTxInterval`: how often idle circuits are looked for; `None` for never.
    pub idle_interval: Option<Duration>,
    /// `faultTxInterval`: how long faults are collected; `None` reports none.
    pub fault_interval: Option<Duration>,
    /// Circuits that a router carries at most.
    pub max_circuits: usize,
    /// Forwards of one circuit. Each new path adds some, and those of former paths stay.
    pub max_forwards: usize,
    /// Circuits of each owner, and circuits without one, whose faults are told of at a time; idle circuits in one
    /// message.
    pub max_reported: usize,
}

impl Default for ForwardingOptions {
    fn default() -> Self {
        Self {
            close_check_interval: Duration::from_secs(5),
            idle_timeout: Duration::from_mins(1),
            idle_interval: Some(Duration::from_mins(1)),
            fault_interval: Some(Duration::from_secs(15)),
            max_circuits: 1_000_000,
            max_forwards: 64,
            max_reported: 1_024,
        }
    }
}
