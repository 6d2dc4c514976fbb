//! What an end is doing.

use super::Endpoint;
use crate::stats::Stats;

impl Endpoint {
    /// What this end is doing.
    pub fn stats(&self) -> Stats {
        Stats {
            window: self.window.bytes(),
            outstanding_payloads: self.send.span(),
            outstanding_bytes: self.send.bytes(),
            outstanding_weight: self.send.weight(),
            peer_held_bytes: self.peer_held,
            held_bytes: self.receive.bytes(),
            held_payloads: self.receive.payloads(),
            held_weight: self.receive.weight(),
            next_received: self.receive.next_sequence(),
            highest_received: self.receive.highest_sequence(),
            next_sent: self.send.next_sequence(),
            round_trip: self.round_trip.average(),
            ack_timeout: self.round_trip.ack_timeout(&self.options),
            ack_timeout_scale: self.round_trip.scale(),
            accumulated_bytes: self.window.acknowledged_bytes(),
            is_blocked_by_window: self.is_blocked_by_window(),
            is_blocked_by_peer: self.is_blocked_by_peer(),
            is_sending_over: self.closing.is_sending_over(),
            is_finishing: self.closing.is_finishing(),
            last_retransmission: self.last_retransmission,
            told_held_bytes: self.acks.told(),
            counters: self.counters,
        }
    }
}
