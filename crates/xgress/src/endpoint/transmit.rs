//! What goes to the other end.

use super::Endpoint;
use crate::send::{Outgoing, on_the_wire};
use portcullis_channel::{Now, UnixNanos};
use portcullis_wire::xgress::{Acknowledgement, Payload, PayloadFlags};

impl Endpoint {
    /// The next acknowledgement to be sent. One that is lost is made good by the other end.
    pub fn poll_acknowledgement(&mut self) -> Option<Acknowledgement> {
        if self.acks.is_empty() {
            return None;
        }
        let held = self.held();
        let (sequences, rtt_millis) = self.acks.take(held);
        Some(Acknowledgement {
            connection: None,
            circuit_id: self.circuit_id.clone(),
            flags: self.side.flags(),
            receive_buffer_bytes: Some(held),
            rtt_millis,
            sequences,
        })
    }

    /// The next payload to be sent. It counts as sent.
    pub fn poll_payload(&mut self, now: Now) -> Option<Payload> {
        if let Some(sequence) = self.closing.take_farewell() {
            let flags = PayloadFlags::CIRCUIT_END | self.side.flags();
            return Some(self.payload(sequence, flags, now));
        }
        if !self.is_started {
            return None;
        }
        let outgoing = self.send.poll(self.window.bytes(), now.mono)?;
        let Outgoing {
            sequence,
            content,
            is_again,
        } = outgoing;
        let mut flags = content.flags;
        if is_again {
            flags = flags | PayloadFlags::RETRANSMITTED;
            self.counters.retransmissions += 1;
            self.last_retransmission = Some(now.mono);
        } else {
            self.counters.sent_payloads += 1;
        }
        self.announce_room();
        Some(Payload {
            headers: content.segment.headers,
            data: content.segment.data,
            ..self.payload(sequence, flags, now)
        })
    }

    /// Whether [`poll_payload`](Self::poll_payload) has something.
    pub fn has_payload(&self) -> bool {
        self.closing.has_farewell()
            || (self.is_started && self.send.has_output(self.window.bytes()))
    }

    /// Whether [`poll_acknowledgement`](Self::poll_acknowledgement) has something.
    pub fn has_acknowledgement(&self) -> bool {
        !self.acks.is_empty()
    }

    fn payload(&self, sequence: u32, flags: PayloadFlags, now: Now) -> Payload {
        Payload {
            circuit_id: self.circuit_id.clone(),
            sequence: on_the_wire(sequence),
            flags,
            rtt_millis: Some(low_millis(now.wall)),
            ..Payload::default()
        }
    }
}

/// The low 16 bits of a time's milliseconds, as the RTT header has them.
pub(super) fn low_millis(time: UnixNanos) -> u16 {
    let millis = time.0 / 1_000_000;
    let [.., high, low] = millis.to_be_bytes();
    u16::from_be_bytes([high, low])
}
