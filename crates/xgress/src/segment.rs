//! What is written at one end and read at the other.

use crate::weight::weight;
use bytes::Bytes;
use portcullis_wire::Secret;
use portcullis_wire::edge::DataFlags;
use portcullis_wire::xgress::payload_header;
use std::collections::BTreeMap;

/// The bytes and headers of one payload. Circuits keep the borders between segments: end-to-end
/// encryption relies on that.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Segment {
    /// See [`payload_header`].
    pub headers: BTreeMap<u8, Bytes>,
    pub data: Secret<Bytes>,
}

impl Segment {
    pub(crate) fn len(&self) -> usize {
        self.data.expose().len()
    }

    pub(crate) fn weight(&self) -> usize {
        weight(&self.headers, &self.data)
    }

    /// The flags with which an SDK sent it, if a router is its end of the circuit.
    ///
    /// With [`FIN`](DataFlags::FIN) the direction ends, as with the end of a stream.
    pub fn data_flags(&self) -> Option<DataFlags> {
        let flags = self.headers.get(&payload_header::DATA_FLAGS)?;
        let flags: [u8; 4] = flags.as_ref().try_into().ok()?;
        Some(DataFlags::from_bits(u32::from_le_bytes(flags)))
    }
}

impl<T: Into<Bytes>> From<T> for Segment {
    fn from(data: T) -> Self {
        Self {
            headers: BTreeMap::new(),
            data: Secret::new(data.into()),
        }
    }
}

/// What an end reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Received {
    Segment(Segment),
    /// The other end sends nothing more.
    EndOfStream,
}
