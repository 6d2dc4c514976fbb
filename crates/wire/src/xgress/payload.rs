//! Data of a circuit.

use super::{ConnectionId, PayloadSequence, circuit_id, common_headers, key};
use crate::content::{Content, DecodeError, EncodeError};
use crate::flags::flags;
use crate::headers::HeaderValue as _;
use crate::secret::Secret;
use bytes::Bytes;
use portcullis_channel::{HeaderKey, Headers};
use std::collections::BTreeMap;

/// Header of a message that has the payload header 0; the others follow it.
const FIRST_PAYLOAD_HEADER: i32 = 2000;

/// What a header counts beside its value: its key and its length.
const HEADER_HEAD: usize = 8;

/// Keys of the headers within a payload, which travel from end to end.
pub mod payload_header {
    /// Names the data in traces.
    pub const UUID: u8 = 0;
    /// Big-endian 32 bits: capabilities of the end that sends its first payload.
    pub const CAPABILITIES: u8 = 1;
    /// [`DataFlags`](crate::edge::DataFlags) of an SDK whose router is the end of the circuit.
    pub const DATA_FLAGS: u8 = 0x10;
}

/// Data of a circuit, in one direction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Payload {
    /// On channels of SDKs: from routers always, from SDKs not when it is sent again.
    pub connection: Option<ConnectionId>,
    pub circuit_id: String,
    pub sequence: PayloadSequence,
    pub flags: PayloadFlags,
    /// Low 16 bits of a clock's milliseconds, which the acknowledgement gives back. Routers that forward
    /// the payload may put those of their own clock there.
    pub rtt_millis: Option<u16>,
    /// See [`payload_header`].
    pub headers: BTreeMap<u8, Bytes>,
    pub data: Secret<Bytes>,
}

flags! {
    /// What a payload is.
    pub struct PayloadFlags {
        /// The circuit ends, in both directions.
        CIRCUIT_END = 1,
        /// It comes from the terminating end.
        FROM_TERMINATOR = 2,
        /// The first one of the initiating end.
        CIRCUIT_START = 4,
        /// Part of what was split for datagrams.
        CHUNK = 8,
        /// It was sent before.
        RETRANSMITTED = 16,
        /// This direction ends.
        END_OF_STREAM = 32,
        /// What comes from the other end cannot be written any more.
        WRITE_FAILED = 64,
    }
}

impl Payload {
    /// Bit of [`payload_header::CAPABILITIES`]: the end understands
    /// [`END_OF_STREAM`](PayloadFlags::END_OF_STREAM).
    pub const CAPABILITY_END_OF_STREAM: u32 = 1 << 8;

    /// Most bytes of [`headers`](Self::headers) that a receiver takes, with 8 for each of them: they wait with
    /// the data, but no window counts them. Known peers send up to three headers of at most 16 bytes.
    pub const MAX_HEADER_BYTES: usize = 1_024;
}

impl Content for Payload {
    const NAME: &'static str = "Payload";

    fn decode(headers: &Headers, body: &Bytes) -> Result<Self, DecodeError> {
        let sequence = headers.u64(key::SEQUENCE);
        let sequence = sequence.and_then(PayloadSequence::from_u64);
        let payload_headers = headers.iter().filter_map(|(key, value)| {
            let own = key.0.checked_sub(FIRST_PAYLOAD_HEADER)?;
            Some((u8::try_from(own).ok()?, headers.block().slice_ref(value)))
        });
        let payload_headers: BTreeMap<u8, Bytes> = payload_headers.collect();
        let lengths = payload_headers
            .values()
            .map(|value| HEADER_HEAD + value.len());
        if lengths.sum::<usize>() > Self::MAX_HEADER_BYTES {
            return Err(DecodeError::TooMuchInHeaders {
                message: Self::NAME,
                limit: Self::MAX_HEADER_BYTES,
            });
        }
        Ok(Self {
            connection: ConnectionId::read(headers, key::CONNECTION),
            circuit_id: circuit_id(Self::NAME, headers)?,
            sequence: sequence.ok_or(DecodeError::Header {
                message: Self::NAME,
                field: "sequence",
                key: key::SEQUENCE,
            })?,
            flags: PayloadFlags::read(headers, key::FLAGS).unwrap_or_default(),
            rtt_millis: headers.u16(key::RTT),
            headers: payload_headers,
            data: Secret::new(body.clone()),
        })
    }

    fn encode(&self) -> Result<(Headers, Bytes), EncodeError> {
        let sequence = u64::from(self.sequence.number());
        let common = common_headers(
            self.connection,
            &self.circuit_id,
            self.flags,
            self.rtt_millis,
        );
        let headers = self.headers.iter().fold(
            common.u64(key::SEQUENCE, sequence),
            |headers, (own, value)| {
                headers.bytes(HeaderKey(FIRST_PAYLOAD_HEADER + i32::from(*own)), value)
            },
        );
        Ok((headers.build(), self.data.expose().clone()))
    }
}
