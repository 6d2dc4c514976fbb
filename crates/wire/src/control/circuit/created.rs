//! The answer to a circuit request, whose peer data are headers of their own.

use crate::content::{Content, DecodeError, EncodeError};
use crate::headers::{Parts, Received};
use crate::peer_data;
use crate::peer_data::PeerData;
use bytes::Bytes;
use portcullis_channel::{HeaderKey, Headers};

const ADDRESS: HeaderKey = HeaderKey(1100);

/// The circuit for a [`CircuitRequest`](super::CircuitRequest), once its route stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CircuitCreated {
    pub circuit_id: String,
    /// Address of the initiating end.
    pub address: String,
    /// Of the hosting end: every other header from 1000 on.
    pub peer_data: PeerData,
}

impl Content for CircuitCreated {
    const NAME: &'static str = "CircuitCreated";

    fn decode(headers: &Headers, body: &Bytes) -> Result<Self, DecodeError> {
        let parts = Received {
            message: Self::NAME,
            headers,
            body,
        };
        Ok(Self {
            circuit_id: parts.body("circuit_id")?,
            address: parts.header("address", ADDRESS)?,
            peer_data: peer_data::from_headers(headers, &[ADDRESS]),
        })
    }

    fn encode(&self) -> Result<(Headers, Bytes), EncodeError> {
        let (headers, body) = Parts::new(Self::NAME)
            .header(ADDRESS, &self.address)?
            .body(&self.circuit_id)
            .finish();
        Ok((
            peer_data::append_to(&headers, &self.peer_data, &[ADDRESS]),
            body,
        ))
    }
}
