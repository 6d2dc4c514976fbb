//! Datagrams that wait for the circuit of their flow.

use crate::options::FlowOptions;
use bytes::Bytes;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(crate) struct Waiting {
    datagrams: VecDeque<Bytes>,
    bytes: usize,
}

impl Waiting {
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is room for one more. What has waited longer stays: it is what the server has to see first.
    pub(crate) fn has_room(&self, datagram: &Bytes, options: &FlowOptions) -> bool {
        self.datagrams.len() < options.max_waiting_of_flow
            && self.bytes.saturating_add(datagram.len()) <= options.max_waiting_bytes_of_flow
    }

    pub(crate) fn push(&mut self, datagram: Bytes) {
        self.bytes += datagram.len();
        self.datagrams.push_back(datagram);
    }

    pub(crate) fn into_datagrams(self) -> VecDeque<Bytes> {
        self.datagrams
    }
}
