//! A circuit that ends here: an end of it, and what the router is told.

use crate::event::{CloseReason, WriteError};
use bytes::Bytes;
use portcullis_channel::{Moment, Now};
use portcullis_wire::edge::{CircuitClosed, ConnectionId, DataFlags, EdgeMessage};
use portcullis_wire::xgress::{Acknowledgement, Payload, payload_header};
use portcullis_xgress::{
    EndReason, Endpoint, EndpointEvent, Options, Received, Segment, Side, TimeoutReason,
    WriteErrorKind,
};
use std::sync::Arc;

/// The end of a circuit.
#[derive(Debug)]
pub(crate) struct SdkFlow {
    endpoint: Endpoint,
    /// The owner has finished, and there was no room to say so.
    is_finishing: bool,
    /// The router knows that the circuit is over.
    is_end_told: bool,
    /// There is no way to the other end any more.
    is_unrouted: bool,
}

impl SdkFlow {
    pub(crate) fn new(side: Side, circuit_id: String, options: Arc<Options>, now: Now) -> Self {
        Self {
            endpoint: Endpoint::new(side, circuit_id, options, now),
            is_finishing: false,
            is_end_told: false,
            is_unrouted: false,
        }
    }

    pub(crate) const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn check_writable(&mut self, now: Now) -> Result<(), WriteError> {
        if self.is_finishing {
            return Err(WriteError::Finished);
        }
        if self.endpoint.is_writable() {
            return Ok(());
        }
        // A refusal makes the end say when there is room.
        match self.endpoint.write(Segment::default(), now) {
            Ok(()) => Ok(()),
            Err(error) => Err(match error.why {
                WriteErrorKind::Blocked => WriteError::Blocked,
                WriteErrorKind::Finished => WriteError::Finished,
                WriteErrorKind::Closed => WriteError::Stopped,
            }),
        }
    }

    /// Only after [`check_writable`](Self::check_writable), or first of all.
    pub(crate) fn write(&mut self, data: Bytes, now: Now) {
        // If its numbers are used up, it ends.
        let _has_ended = self.endpoint.write(Segment::from(data), now);
    }

    /// Ends this direction as soon as there is room to say so.
    pub(crate) fn finish(&mut self, now: Now) {
        self.is_finishing = true;
        self.advance(now);
    }

    /// OpenZiti's routers pass the end of a stream on to sockets only if it is told as between SDKs, too.
    pub(crate) fn advance(&mut self, now: Now) {
        if self.is_finishing && self.endpoint.is_writable() {
            let fin = DataFlags::FIN.bits().to_le_bytes().to_vec();
            let segment = Segment {
                headers: [(payload_header::DATA_FLAGS, fin.into())].into(),
                ..Segment::default()
            };
            let _has_ended = self.endpoint.write(segment, now);
            self.endpoint.finish(now);
        }
    }

    /// Ends this direction, and takes nothing more.
    pub(crate) fn close(&mut self, now: Now) {
        self.finish(now);
        self.endpoint.close(now);
    }

    pub(crate) fn abort(&mut self) {
        self.endpoint.abort();
    }

    pub(crate) fn unroute(&mut self) {
        self.endpoint.unroute();
        self.is_unrouted = true;
    }

    pub(crate) fn read(&mut self, now: Now) -> Option<Received> {
        self.endpoint.read(now)
    }

    pub(crate) fn handle_payload(&mut self, payload: Payload, now: Now) {
        let mut payload = payload;
        portcullis_xgress::compact(&mut payload.headers, &mut payload.data);
        self.endpoint.handle_payload(payload, now);
    }

    pub(crate) fn handle_acknowledgement(&mut self, acknowledgement: &Acknowledgement, now: Now) {
        self.endpoint.handle_acknowledgement(acknowledgement, now);
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.endpoint.is_readable()
    }

    pub(crate) fn timeout(&self) -> Option<Moment> {
        self.endpoint.poll_timeout().map(|(at, _)| at)
    }

    /// Whether the end may throw away what it holds when this deadline has passed.
    pub(crate) fn is_ending(&self, now: Now) -> bool {
        self.endpoint.poll_timeout().is_some_and(|(at, reason)| {
            at <= now.mono && matches!(reason, TimeoutReason::Linger | TimeoutReason::Unanswered)
        })
    }

    pub(crate) fn handle_timeout(&mut self, now: Now) {
        self.endpoint.handle_timeout(now);
    }

    /// Why the circuit is over, once.
    pub(crate) fn poll_end(&mut self) -> Option<CloseReason> {
        while let Some(event) = self.endpoint.poll_event() {
            if let EndpointEvent::Ended(why) = event {
                return Some(match why {
                    EndReason::Finished => CloseReason::Finished,
                    EndReason::PeerEnded => CloseReason::Peer,
                    other => CloseReason::Circuit(other),
                });
            }
        }
        None
    }

    pub(crate) fn has_output(&self) -> bool {
        !self.is_unrouted
            && (self.endpoint.has_acknowledgement()
                || self.endpoint.has_payload()
                || (self.endpoint.has_ended() && !self.is_end_told))
    }

    pub(crate) fn poll_transmit(
        &mut self,
        connection: ConnectionId,
        now: Now,
    ) -> Option<EdgeMessage> {
        if self.is_unrouted {
            return None;
        }
        if let Some(acknowledgement) = self.endpoint.poll_acknowledgement() {
            return Some(EdgeMessage::Acknowledgement(acknowledgement));
        }
        if let Some(payload) = self.endpoint.poll_payload(now) {
            return Some(EdgeMessage::Payload(Payload {
                connection: Some(connection),
                ..payload
            }));
        }
        if self.endpoint.has_ended() && !self.is_end_told {
            self.is_end_told = true;
            let circuit_id = self.endpoint.circuit_id().to_owned();
            return Some(EdgeMessage::CircuitClosed(CircuitClosed { circuit_id }));
        }
        None
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.endpoint.has_ended()
    }
}
