//! Decoders of requests, to be probed.

use crate::decode::{Decode, DecodeError, DecodeTrace};

/// The decoder of a request, and what it says about itself.
#[derive(Debug, Clone, Copy)]
pub struct RequestDecoder {
    pub name: fn() -> String,
    /// Whether the body is a list.
    pub is_list: bool,
    /// Descriptions of members by path.
    pub descriptions: &'static [(&'static str, &'static str)],
    /// Decodes a body and traces its accesses.
    pub decode: fn(&[u8], &DecodeTrace) -> Result<(), DecodeError>,
    /// Whether the body may be missing.
    pub is_optional: bool,
}

impl RequestDecoder {
    /// The decoder of `T`.
    pub fn new<T: Decode>() -> Self {
        Self {
            name: T::name,
            is_list: T::IS_LIST,
            descriptions: T::DESCRIPTIONS,
            decode: decode_traced::<T>,
            is_optional: T::from_body(b"").is_ok(),
        }
    }
}

fn decode_traced<T: Decode>(bytes: &[u8], trace: &DecodeTrace) -> Result<(), DecodeError> {
    let mut members = T::parse_body(bytes)?.with_trace(trace);
    T::decode(&mut members).map(|_request| ())
}
