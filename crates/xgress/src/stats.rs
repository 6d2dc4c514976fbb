//! What an end is doing, for inspections.

use crate::factor::Factor;
use portcullis_channel::Moment;
use std::time::Duration;

/// What an end is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Bytes that may be unacknowledged.
    pub window: u64,
    /// Payloads from the first that is not acknowledged to the last.
    pub outstanding_payloads: usize,
    pub outstanding_bytes: u64,
    /// Memory that unacknowledged payloads take, by [`weight`](crate::weight).
    pub outstanding_weight: usize,
    /// Bytes that the other end last said it holds.
    pub peer_held_bytes: u32,
    pub held_bytes: usize,
    pub held_payloads: usize,
    /// Memory that they take.
    pub held_weight: usize,
    /// Number of the next payload that is received in order.
    pub next_received: u32,
    pub highest_received: Option<u32>,
    /// Number of the next payload that is sent.
    pub next_sent: u32,
    pub round_trip: Option<Duration>,
    pub ack_timeout: Duration,
    pub ack_timeout_scale: Factor,
    /// Acknowledged since the window last changed.
    pub accumulated_bytes: u64,
    pub is_blocked_by_window: bool,
    pub is_blocked_by_peer: bool,
    /// Nothing is sent any more but what ends the circuit.
    pub is_sending_over: bool,
    /// The end follows what is still to be acknowledged.
    pub is_finishing: bool,
    /// When a payload was last sent again.
    pub last_retransmission: Option<Moment>,
    /// Bytes that this end last said it holds.
    pub told_held_bytes: u32,
    pub counters: Counters,
}

/// What has happened to an end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    pub sent_payloads: u64,
    pub retransmissions: u64,
    pub acknowledgements: u64,
    /// Acknowledgements of what was acknowledged before.
    pub duplicate_acknowledgements: u64,
    pub received_payloads: u64,
    /// Payloads that have arrived before.
    pub duplicate_payloads: u64,
    /// Payloads that there was no room for.
    pub refused_payloads: u64,
    /// Payloads and acknowledgements of this end that came back to it.
    pub reflected: u64,
    /// Acknowledgements of what was not sent.
    pub unfounded_acknowledgements: u64,
}
