//! What arrives at an end.

use bytes::Bytes;
use portcullis_wire::Secret;
use portcullis_wire::xgress::Payload;

/// Data that is shorter is copied out of what it was read into.
const COPIED: usize = 16 << 10;

/// A payload that may wait for long: connections read into buffers of 64 KiB and more, of which a small
/// payload would keep a whole one.
pub(super) fn compact(mut payload: Payload) -> Payload {
    if payload.data.expose().len() < COPIED {
        payload.data = Secret::new(Bytes::copy_from_slice(payload.data.expose()));
    }
    for value in payload.headers.values_mut() {
        *value = Bytes::copy_from_slice(value);
    }
    payload
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_payloads_leave_their_buffer_and_large_ones_stay() {
        let buffer = Bytes::from(vec![1; 64 << 10]);
        let compacted = |length| {
            let payload = Payload {
                headers: [(1, buffer.slice(..4))].into(),
                data: Secret::new(buffer.slice(..length)),
                ..Payload::default()
            };
            let compacted = compact(payload.clone());
            assert_eq!(compacted, payload);
            compacted
        };
        let is_inside = |bytes: &Bytes| buffer.as_ptr_range().contains(&bytes.as_ptr());
        let small = compacted(COPIED - 1);
        assert!(!is_inside(small.data.expose()) && !is_inside(&small.headers[&1]));
        assert!(is_inside(compacted(COPIED).data.expose()));
    }
}
