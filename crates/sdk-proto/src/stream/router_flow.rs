//! A connection whose circuit ends in the router: messages with data, each way.

use crate::event::WriteError;
use bytes::Bytes;
use portcullis_wire::Secret;
use portcullis_wire::edge::{ConnectionId, Data, DataFlags, EdgeMessage, StateClosed};
use portcullis_xgress::{Received, Segment, weight};
use std::collections::{BTreeMap, VecDeque};

/// How many times as much as its limit may have arrived. A channel that is not read beyond the limit does
/// not get there.
const OVERFLOW: usize = 4;

/// What waits on both sides.
#[derive(Debug)]
pub(crate) struct RouterFlow {
    outbox: VecDeque<(DataFlags, Bytes)>,
    outbox_weight: usize,
    send_buffer: usize,
    inbox_weight: usize,
    receive_buffer: usize,
    sending: Sending,
    /// The router is told, after all data, that the connection is over.
    closing: Closing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Open,
    Finished,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    Open,
    /// To be told.
    Closed,
    /// The router knows.
    Told,
}

impl RouterFlow {
    pub(crate) const fn new(send_buffer: usize, receive_buffer: usize) -> Self {
        Self {
            outbox: VecDeque::new(),
            outbox_weight: 0,
            send_buffer,
            inbox_weight: 0,
            receive_buffer,
            sending: Sending::Open,
            closing: Closing::Open,
        }
    }

    pub(crate) fn check_writable(&self) -> Result<(), WriteError> {
        match self.sending {
            Sending::Finished => Err(WriteError::Finished),
            Sending::Open if self.is_blocked() => Err(WriteError::Blocked),
            Sending::Open => Ok(()),
        }
    }

    /// Something of any size is taken while nothing else waits.
    pub(crate) fn is_blocked(&self) -> bool {
        self.outbox_weight >= self.send_buffer && !self.outbox.is_empty()
    }

    pub(crate) fn push(&mut self, data: Bytes, flags: DataFlags) {
        self.outbox_weight += weigh(&data);
        self.outbox.push_back((flags, data));
    }

    pub(crate) fn finish(&mut self) {
        if self.sending == Sending::Open {
            self.sending = Sending::Finished;
            self.push(Bytes::new(), DataFlags::FIN);
        }
    }

    pub(crate) fn close(&mut self) {
        self.sending = Sending::Finished;
        if self.closing == Closing::Open {
            self.closing = Closing::Closed;
        }
    }

    pub(crate) fn abort(&mut self) {
        self.clear();
        self.close();
    }

    /// The router has ended the connection.
    pub(crate) fn forget(&mut self) {
        self.clear();
        self.sending = Sending::Finished;
        self.closing = Closing::Told;
    }

    fn clear(&mut self) {
        self.outbox = VecDeque::new();
        self.outbox_weight = 0;
    }

    pub(crate) fn note_arrived(&mut self, received: &Received) {
        self.inbox_weight += received_weight(received);
    }

    pub(crate) fn note_read(&mut self, received: &Received) {
        let weight = received_weight(received);
        self.inbox_weight = self.inbox_weight.saturating_sub(weight);
    }

    /// Whether the channel has to wait for whoever reads.
    pub(crate) fn is_stalled(&self) -> bool {
        self.closing == Closing::Open && self.inbox_weight > self.receive_buffer
    }

    /// Whether nothing more is taken.
    pub(crate) const fn is_overflowing(&self) -> bool {
        self.inbox_weight > self.receive_buffer.saturating_mul(OVERFLOW)
    }

    pub(crate) fn has_output(&self) -> bool {
        !self.outbox.is_empty() || self.closing == Closing::Closed
    }

    pub(crate) fn poll_transmit(&mut self, connection: ConnectionId) -> Option<EdgeMessage> {
        if let Some((flags, data)) = self.outbox.pop_front() {
            self.outbox_weight = self.outbox_weight.saturating_sub(weigh(&data));
            return Some(EdgeMessage::Data(Data {
                connection,
                flags,
                data: Secret::new(data),
                ..Data::default()
            }));
        }
        if self.closing != Closing::Closed {
            return None;
        }
        self.closing = Closing::Told;
        Some(EdgeMessage::StateClosed(StateClosed {
            connection: Some(connection),
            reason: "closed by the client".to_owned(),
            ..StateClosed::default()
        }))
    }

    /// Of what waits to be sent.
    pub(crate) const fn weight(&self) -> usize {
        self.outbox_weight
    }

    pub(crate) fn is_over(&self) -> bool {
        self.closing == Closing::Told
    }
}

fn weigh(data: &Bytes) -> usize {
    weight(&BTreeMap::new(), &Secret::new(data.clone()))
}

fn received_weight(received: &Received) -> usize {
    match received {
        Received::Segment(Segment { headers, data }) => weight(headers, data),
        Received::EndOfStream => 0,
    }
}
