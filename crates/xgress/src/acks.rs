//! Acknowledgements that are owed to the other end.

use crate::options::MAX_OWED_ACKS;
use portcullis_wire::xgress::PayloadSequence;
use std::collections::VecDeque;

/// Sequence numbers in one acknowledgement: if it is lost, so many payloads are sent in vain.
const TOGETHER: usize = 4;
/// From this much on it is told when half of what was held has been read.
const WORTH_TELLING: u32 = 10_000;

/// What the other end has to be told of received payloads. Those that arrived together are acknowledged
/// together.
#[derive(Debug, Default)]
pub(crate) struct OwedAcks {
    /// With the RTT headers of their payloads.
    payloads: VecDeque<(PayloadSequence, Option<u16>)>,
    /// Bytes that were held when the other end was last told.
    told: u32,
    owes_update: bool,
}

impl OwedAcks {
    pub(crate) fn is_full(&self) -> bool {
        self.payloads.len() >= MAX_OWED_ACKS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.payloads.is_empty() && !self.owes_update
    }

    pub(crate) fn add(&mut self, sequence: PayloadSequence, rtt_millis: Option<u16>) {
        self.payloads.push_back((sequence, rtt_millis));
    }

    /// Bytes that were held when the other end was last told.
    pub(crate) const fn told(&self) -> u32 {
        self.told
    }

    /// Something was read; so many bytes are held now.
    pub(crate) const fn note_read(&mut self, held: u32) {
        self.owes_update |= self.told > WORTH_TELLING && held < self.told / 2;
    }

    /// Something was refused: the other end, which sends it again and again, may believe that there is room.
    /// TCP answers probes of a closed window in the same way (RFC 9293, section 3.8.6.1).
    pub(crate) const fn note_refused(&mut self) {
        self.owes_update = true;
    }

    /// All has been read: the other end waits for that before it ends the circuit.
    pub(crate) const fn note_end(&mut self) {
        self.owes_update |= self.told > 0;
    }

    /// Takes what is owed: sequence numbers, and the RTT header of the first of their payloads, which has
    /// waited longest.
    pub(crate) fn take(&mut self, held: u32) -> (Vec<PayloadSequence>, Option<u16>) {
        self.told = held;
        self.owes_update = false;
        let count = self.payloads.len().min(TOGETHER);
        let rtt_millis = match self.payloads.front() {
            Some((_, rtt_millis)) => *rtt_millis,
            None => Some(0),
        };
        let sequences = self.payloads.drain(..count).map(|(sequence, _)| sequence);
        let sequences = sequences.collect();
        if self.payloads.is_empty() && self.payloads.capacity() > TOGETHER {
            self.payloads = VecDeque::new();
        }
        (sequences, rtt_millis)
    }
}
