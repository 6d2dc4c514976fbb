//! Acknowledgements of payloads.

use super::{ConnectionId, PayloadFlags, PayloadSequence, circuit_id, common_headers, key};
use crate::content::{Content, DecodeError, EncodeError};
use crate::headers::HeaderValue as _;
use bytes::{BufMut as _, Bytes, BytesMut};
use portcullis_channel::Headers;

/// An end of a circuit has received payloads. Without sequence numbers, it tells its buffer only.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Acknowledgement {
    /// On channels of SDKs, from routers.
    pub connection: Option<ConnectionId>,
    pub circuit_id: String,
    /// [`FROM_TERMINATOR`](PayloadFlags::FROM_TERMINATOR) if the terminating end acknowledges.
    pub flags: PayloadFlags,
    /// Bytes that have arrived and not been written yet; `None` counts as the most that there is.
    pub receive_buffer_bytes: Option<u32>,
    /// Of the payload; 0 for none.
    pub rtt_millis: Option<u16>,
    /// Of the payloads that are acknowledged.
    pub sequences: Vec<PayloadSequence>,
}

impl Content for Acknowledgement {
    const NAME: &'static str = "Acknowledgement";

    fn decode(headers: &Headers, body: &Bytes) -> Result<Self, DecodeError> {
        let (sequences, rest) = body.as_chunks();
        let sequences = sequences
            .iter()
            .copied()
            .map(PayloadSequence::from_be_bytes);
        let sequences: Option<Vec<_>> = sequences.collect();
        let sequences = sequences
            .filter(|_| rest.is_empty())
            .ok_or(DecodeError::Body {
                message: Self::NAME,
                field: "sequences",
                expected: "a list of sequence numbers",
            })?;
        Ok(Self {
            connection: ConnectionId::read(headers, key::CONNECTION),
            circuit_id: circuit_id(Self::NAME, headers)?,
            flags: PayloadFlags::read(headers, key::FLAGS).unwrap_or_default(),
            receive_buffer_bytes: headers.u32(key::RECEIVE_BUFFER),
            rtt_millis: headers.u16(key::RTT),
            sequences,
        })
    }

    fn encode(&self) -> Result<(Headers, Bytes), EncodeError> {
        let mut headers = common_headers(
            self.connection,
            &self.circuit_id,
            self.flags,
            self.rtt_millis,
        );
        if let Some(bytes) = self.receive_buffer_bytes {
            headers = headers.u32(key::RECEIVE_BUFFER, bytes);
        }
        let mut body = BytesMut::with_capacity(self.sequences.len() * size_of::<PayloadSequence>());
        for sequence in &self.sequences {
            body.put_slice(&sequence.to_be_bytes());
        }
        Ok((headers.build(), body.freeze()))
    }
}
