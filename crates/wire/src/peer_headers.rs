//! Peer data as headers of their own.

use bytes::Bytes;
use portcullis_channel::{HeaderKey, Headers};
use std::collections::BTreeMap;

/// Numbers below belong to channel and messages.
const FIRST: u32 = 1000;

/// The headers from 1000 on, except some.
pub(crate) fn read(headers: &Headers, except: &[HeaderKey]) -> BTreeMap<u32, Bytes> {
    let keys = headers.iter().map(|(key, _)| key);
    keys.filter(|key| !except.contains(key))
        .filter_map(|key| {
            let number = u32::try_from(key.0)
                .ok()
                .filter(|number| *number >= FIRST)?;
            Some((number, headers.bytes(key)?))
        })
        .collect()
}

/// Adds peer data to headers, except what [`read`] would not read.
pub(crate) fn append(
    headers: &Headers,
    peer_data: &BTreeMap<u32, Bytes>,
    except: &[HeaderKey],
) -> Headers {
    let entries = peer_data.iter().filter_map(|(number, bytes)| {
        let key = HeaderKey(i32::try_from(*number).ok()?);
        (*number >= FIRST && !except.contains(&key)).then_some((key, bytes))
    });
    entries
        .fold(Headers::builder().append(headers), |all, (key, bytes)| {
            all.bytes(key, bytes)
        })
        .build()
}
