//! What payloads take in memory.

use bytes::Bytes;
use portcullis_wire::Secret;
use std::collections::BTreeMap;

/// What a payload takes beside its bytes, wherever it waits, with the first of its headers.
const PAYLOAD: usize = 512;
/// What a header takes beside its bytes.
const HEADER: usize = 128;
/// Data that is shorter is copied out of what it was read into.
const COPIED: usize = 16 << 10;

/// Bytes of memory that a payload takes: its data, its headers, and what they are kept in.
///
/// Bounds of memory count by that. Windows count data alone, as the other end does.
pub fn weight(headers: &BTreeMap<u8, Bytes>, data: &Secret<Bytes>) -> usize {
    let headers = headers.values().map(|value| HEADER + value.len());
    PAYLOAD + data.expose().len() + headers.sum::<usize>()
}

/// Copies what is to wait for long out of what it was read into: connections read into buffers of 64 KiB and
/// more, of which a small payload would keep a whole one.
pub fn compact(headers: &mut BTreeMap<u8, Bytes>, data: &mut Secret<Bytes>) {
    if data.expose().len() < COPIED {
        *data = Secret::new(Bytes::copy_from_slice(data.expose()));
    }
    for value in headers.values_mut() {
        *value = Bytes::copy_from_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_payloads_leave_their_buffer_and_large_ones_stay() {
        let buffer = Bytes::from(vec![1; 64 << 10]);
        let compacted = |length| {
            let mut headers = BTreeMap::from([(1, buffer.slice(..4))]);
            let mut data = Secret::new(buffer.slice(..length));
            let before = (headers.clone(), data.clone());
            compact(&mut headers, &mut data);
            assert_eq!((headers.clone(), data.clone()), before);
            (headers, data)
        };
        let is_inside = |bytes: &Bytes| buffer.as_ptr_range().contains(&bytes.as_ptr());
        let (headers, small) = compacted(COPIED - 1);
        assert!(!is_inside(small.expose()) && !is_inside(&headers[&1]));
        let (headers, large) = compacted(COPIED);
        assert!(is_inside(large.expose()) && !is_inside(&headers[&1]));
    }

    #[test]
    fn headers_weigh_as_much_as_data() {
        let empty = weight(&BTreeMap::new(), &Secret::new(Bytes::new()));
        let data = Bytes::from(vec![1; 1_000]);
        let by_data = weight(&BTreeMap::new(), &Secret::new(data.clone()));
        assert_eq!(by_data, empty + 1_000);
        let by_headers = weight(&[(7, data)].into(), &Secret::new(Bytes::new()));
        assert!(by_headers >= by_data);
    }
}
