//! What the ends of a circuit tell each other.

use crate::headers::{HeaderValue, Written};
use crate::secret::Secret;
use bytes::Bytes;
use portcullis_channel::headers::HeadersBuilder;
use portcullis_channel::{HeaderKey, Headers};
use std::collections::BTreeMap;

/// What the ends of a circuit tell each other, by the number of the header that it travels in.
pub type PeerData = BTreeMap<u32, Secret<Bytes>>;

/// Public key for encryption between the ends.
pub const PUBLIC_KEY: u32 = 1003;
/// Text: who dials, by default the name of the identity.
pub const CALLER_ID: u32 = 1008;
/// Data of the dialing program for the hosting one.
pub const APP_DATA: u32 = 1011;
/// Text: names the connection in logs of both ends.
pub const CONNECTION_MARKER: u32 = 1025;
/// Text: address of the terminating end of the hosting router. Not for SDKs.
pub const LOCAL_ADDRESS: u32 = 1110;
/// Text: address that the hosting router dialed. Not for SDKs.
pub const REMOTE_ADDRESS: u32 = 1111;
/// Text: local address at a tunneler that dials.
pub const INITIATOR_LOCAL_ADDRESS: u32 = 1112;
/// Text: remote address at a tunneler that dials.
pub const INITIATOR_REMOTE_ADDRESS: u32 = 1113;
/// Leads to the terminator of an earlier circuit.
pub const STICKINESS_TOKEN: u32 = 1114;
/// Text: id of the identity that dials.
pub const DIALER_IDENTITY_ID: u32 = 1115;
/// Text: name of the identity that dials.
pub const DIALER_IDENTITY_NAME: u32 = 1116;

/// Numbers below belong to channel and messages.
const FIRST: u32 = 1000;

/// The headers from 1000 on, except some.
pub(crate) fn from_headers(headers: &Headers, except: &[HeaderKey]) -> PeerData {
    let others = headers.iter().filter(|(key, _)| !except.contains(key));
    others
        .filter_map(|(key, value)| {
            let number = u32::try_from(key.0).ok()?;
            let value = headers.block().slice_ref(value);
            (number >= FIRST).then_some((number, Secret::new(value)))
        })
        .collect()
}

/// Adds peer data to headers, except what [`from_headers`] would not read.
pub(crate) fn append_to(headers: &Headers, peer_data: &PeerData, except: &[HeaderKey]) -> Headers {
    let entries = peer_data.iter().filter_map(|(number, bytes)| {
        let key = HeaderKey(i32::try_from(*number).ok()?);
        (*number >= FIRST && !except.contains(&key)).then_some((key, bytes))
    });
    entries
        .fold(Headers::builder().append(headers), |all, (key, bytes)| {
            all.bytes(key, bytes.expose())
        })
        .build()
}

impl HeaderValue for PeerData {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        let map = headers.u32_bytes_map(key)?;
        Some(
            map.into_iter()
                .map(|(number, bytes)| (number, Secret::new(bytes)))
                .collect(),
        )
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        let entries = self
            .iter()
            .map(|(number, bytes)| (*number, &bytes.expose()[..]));
        headers.u32_bytes_map(key, entries)
    }
}
