//! What travels on a circuit: payloads, acknowledgements and traces, on links as between SDK and router.

mod acknowledgement;
mod control;
mod payload;
mod sequence;

pub use acknowledgement::Acknowledgement;
pub use control::{Control, ControlKind};
pub use payload::{Payload, PayloadFlags, payload_header};
pub use sequence::PayloadSequence;

use crate::content::DecodeError;
use crate::headers::{HeaderValue, Written};
use portcullis_channel::headers::HeadersBuilder;
use portcullis_channel::{HeaderKey, Headers};

/// Number of a connection between SDK and router, unique within their channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u32);

impl HeaderValue for ConnectionId {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        headers.u32(key).map(Self)
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        Ok(headers.u32(key, self.0))
    }
}

/// Keys of the headers.
mod key {
    use portcullis_channel::HeaderKey;

    pub(super) const CONNECTION: HeaderKey = HeaderKey(1000);
    pub(super) const CIRCUIT: HeaderKey = HeaderKey(2256);
    pub(super) const SEQUENCE: HeaderKey = HeaderKey(2257);
    pub(super) const FLAGS: HeaderKey = HeaderKey(2258);
    pub(super) const RECEIVE_BUFFER: HeaderKey = HeaderKey(2259);
    pub(super) const RTT: HeaderKey = HeaderKey(2260);
}

/// The id of a circuit out of a header.
fn circuit_id(message: &'static str, headers: &Headers) -> Result<String, DecodeError> {
    HeaderValue::read(headers, key::CIRCUIT).ok_or(DecodeError::Header {
        message,
        field: "circuit_id",
        key: key::CIRCUIT,
    })
}

/// The parts that payloads and acknowledgements begin with.
fn common_headers(
    connection: Option<ConnectionId>,
    circuit_id: &str,
    flags: PayloadFlags,
    rtt_millis: Option<u16>,
) -> HeadersBuilder {
    let mut headers = Headers::builder().string(key::CIRCUIT, circuit_id);
    if let Some(ConnectionId(connection)) = connection {
        headers = headers.u32(key::CONNECTION, connection);
    }
    if flags != PayloadFlags::default() {
        headers = headers.u32(key::FLAGS, flags.bits());
    }
    if let Some(rtt) = rtt_millis {
        headers = headers.u16(key::RTT, rtt);
    }
    headers
}
