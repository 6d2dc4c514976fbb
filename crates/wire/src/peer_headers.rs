//! Peer data as headers of their own.

use crate::control::circuit::PeerData;
use crate::secret::Secret;
use portcullis_channel::{HeaderKey, Headers};

/// Numbers below belong to channel and messages.
const FIRST: u32 = 1000;

/// The headers from 1000 on, except some.
pub(crate) fn read(headers: &Headers, except: &[HeaderKey]) -> PeerData {
    let keys = headers.iter().map(|(key, _)| key);
    keys.filter(|key| !except.contains(key))
        .filter_map(|key| {
            let number = u32::try_from(key.0)
                .ok()
                .filter(|number| *number >= FIRST)?;
            Some((number, Secret::new(headers.bytes(key)?)))
        })
        .collect()
}

/// Adds peer data to headers, except what [`read`] would not read.
pub(crate) fn append(headers: &Headers, peer_data: &PeerData, except: &[HeaderKey]) -> Headers {
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
