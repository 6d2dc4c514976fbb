//! An open connection.
//!
//! What differs by where the circuit ends is in [`SdkFlow`] and [`RouterFlow`]; what both have in common is
//! here: encryption, reading, and how it is over.

mod reading;
mod router_flow;
mod sdk_flow;

pub(crate) use router_flow::RouterFlow;
pub(crate) use sdk_flow::SdkFlow;

use crate::encryption::Encryption;
use crate::event::{CloseReason, WriteError};
use bytes::{Buf as _, Bytes};
use portcullis_channel::Now;
use portcullis_wire::edge::{ConnectionId, DataFlags, EdgeMessage};
use portcullis_xgress::{Received, Segment, weight};
use std::collections::VecDeque;

/// Where the circuit ends.
#[derive(Debug)]
pub(crate) enum Flow {
    /// Here.
    Sdk(Box<SdkFlow>),
    /// In the router.
    Router(RouterFlow),
}

/// How far the direction from the other end has come.
#[derive(Debug)]
enum Incoming {
    Open,
    /// Nothing follows; what else arrives is thrown away.
    Finished,
    /// What has arrived cannot be read.
    Failed(CloseReason),
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) connection: ConnectionId,
    pub(crate) circuit_id: Option<String>,
    pub(crate) flow: Flow,
    encryption: Option<Encryption>,
    max_segment: usize,
    /// What has arrived and is not in the end of a circuit any more, or never was.
    inbox: VecDeque<Received>,
    incoming: Incoming,
    /// Why nothing more can be sent or arrive.
    end: Option<CloseReason>,
    /// The owner has closed it, and is told nothing more.
    pub(crate) is_released: bool,
    /// The owner knows why it is over.
    pub(crate) is_end_announced: bool,
    /// The last read has found nothing.
    pub(crate) reader_waits: bool,
    /// The last write has found no room.
    pub(crate) writer_waits: bool,
    /// It is among those that have something for the router.
    pub(crate) is_queued: bool,
    /// The router does not expect anything yet.
    pub(crate) is_held: bool,
}

impl Stream {
    pub(crate) fn new(
        connection: ConnectionId,
        circuit_id: Option<String>,
        flow: Flow,
        max_segment: usize,
    ) -> Self {
        Self {
            connection,
            circuit_id,
            flow,
            encryption: None,
            max_segment: max_segment.max(1),
            inbox: VecDeque::new(),
            incoming: Incoming::Open,
            end: None,
            is_released: false,
            is_end_announced: false,
            reader_waits: true,
            writer_waits: false,
            is_queued: false,
            is_held: false,
        }
    }

    /// Encrypts everything from the beginning on.
    pub(crate) fn encrypt(&mut self, encryption: Encryption, header: Bytes, now: Now) {
        self.encryption = Some(encryption);
        self.push(header, now);
    }

    /// Takes as much as there is room for, from the front.
    pub(crate) fn write(&mut self, data: &mut Bytes, now: Now) -> Result<usize, WriteError> {
        let mut taken = 0;
        while data.has_remaining() {
            if let Err(why) = self.check_writable(now) {
                if taken > 0 {
                    break;
                }
                self.writer_waits = why == WriteError::Blocked;
                return Err(why);
            }
            let part = data.split_to(data.len().min(self.max_segment));
            taken += part.len();
            let sealed = match &mut self.encryption {
                Some(encryption) => encryption.seal(&part),
                None => part,
            };
            self.push(sealed, now);
        }
        Ok(taken)
    }

    fn check_writable(&mut self, now: Now) -> Result<(), WriteError> {
        if let Some(why) = &self.end {
            return Err(WriteError::Closed(why.clone()));
        }
        match &mut self.flow {
            Flow::Sdk(flow) => flow.check_writable(now),
            Flow::Router(flow) => flow.check_writable(),
        }
    }

    fn push(&mut self, data: Bytes, now: Now) {
        match &mut self.flow {
            Flow::Sdk(flow) => flow.write(data, now),
            Flow::Router(flow) => flow.push(data, DataFlags::default()),
        }
    }

    /// Ends the direction to the other end, after all that was written.
    pub(crate) fn finish(&mut self, now: Now) {
        if self.end.is_some() {
            return;
        }
        match &mut self.flow {
            Flow::Sdk(flow) => flow.finish(now),
            Flow::Router(flow) => flow.finish(),
        }
    }

    /// The owner wants to hear nothing more; what was written is still delivered.
    pub(crate) fn release(&mut self, now: Now) {
        self.is_released = true;
        self.is_held = false;
        self.inbox = VecDeque::new();
        self.incoming = Incoming::Finished;
        match &mut self.flow {
            Flow::Sdk(flow) => flow.close(now),
            Flow::Router(flow) => flow.close(),
        }
    }

    /// Ends both directions, whatever is on its way. The other end is told.
    pub(crate) fn abort(&mut self, why: CloseReason) {
        self.is_held = false;
        match &mut self.flow {
            Flow::Sdk(flow) => flow.abort(),
            Flow::Router(flow) => flow.abort(),
        }
        self.end.get_or_insert(why);
    }

    /// The router has ended it, and expects no answer. What has arrived can still be read.
    pub(crate) fn end_by_router(&mut self, why: CloseReason, now: Now) {
        self.drain(now);
        match &mut self.flow {
            Flow::Sdk(flow) => flow.unroute(),
            Flow::Router(flow) => flow.forget(),
        }
        self.end.get_or_insert(why);
    }

    /// Takes what the end of the circuit holds in order, before that throws it away.
    pub(crate) fn drain(&mut self, now: Now) {
        if matches!(self.incoming, Incoming::Finished) {
            return;
        }
        if let Flow::Sdk(flow) = &mut self.flow {
            while let Some(received) = flow.read(now) {
                self.inbox.push_back(received);
            }
        }
    }

    /// What has come out of a circuit that ends in the router.
    pub(crate) fn arrive(&mut self, received: Received) {
        if self.end.is_some() || matches!(self.incoming, Incoming::Finished) {
            return;
        }
        if let Flow::Router(flow) = &mut self.flow {
            flow.note_arrived(&received);
        }
        self.inbox.push_back(received);
    }

    /// Whether a write would find too much on its way.
    pub(crate) fn is_blocked(&mut self, now: Now) -> bool {
        self.check_writable(now) == Err(WriteError::Blocked)
    }

    /// Follows up after everything that may have changed.
    pub(crate) fn settle(&mut self, now: Now) {
        if let Flow::Sdk(flow) = &mut self.flow {
            flow.advance(now);
            if matches!(self.incoming, Incoming::Finished) {
                // The end of the circuit waits until its own end is read.
                while flow.read(now).is_some() {}
            }
            if let Some(why) = flow.poll_end() {
                self.end.get_or_insert(why);
            }
        }
    }

    pub(crate) const fn end(&self) -> Option<&CloseReason> {
        self.end.as_ref()
    }

    /// Whether there is something for the router.
    pub(crate) fn has_output(&self) -> bool {
        !self.is_held
            && match &self.flow {
                Flow::Sdk(flow) => flow.has_output(),
                Flow::Router(flow) => flow.has_output(),
            }
    }

    /// Bytes of memory that it takes for what travels, by [`weight`](portcullis_xgress::weight).
    pub(crate) fn weight(&self) -> usize {
        let inbox = self.inbox.iter().map(|received| match received {
            Received::Segment(Segment { headers, data }) => weight(headers, data),
            Received::EndOfStream => 0,
        });
        let flow = match &self.flow {
            Flow::Sdk(flow) => flow.endpoint().weight(),
            Flow::Router(flow) => flow.weight(),
        };
        inbox.sum::<usize>() + flow
    }

    /// The next message to the router.
    pub(crate) fn poll_transmit(&mut self, now: Now) -> Option<EdgeMessage> {
        if self.is_held {
            return None;
        }
        match &mut self.flow {
            Flow::Sdk(flow) => flow.poll_transmit(self.connection, now),
            Flow::Router(flow) => flow.poll_transmit(self.connection),
        }
    }

    /// Whether it can be forgotten: nobody reads, and the router was told all.
    pub(crate) fn is_done(&self) -> bool {
        let is_over = match &self.flow {
            Flow::Sdk(flow) => flow.is_over(),
            Flow::Router(flow) => flow.is_over(),
        };
        self.is_released && is_over && !self.has_output()
    }
}
