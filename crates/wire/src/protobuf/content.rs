//! Protobuf messages as contents of messages, or as their bodies.

use super::{Fields, Input};
use crate::content::{Content, DecodeError, EncodeError};
use crate::headers::Body;
use bytes::{Buf as _, Bytes, BytesMut};
use portcullis_channel::Headers;

/// A protobuf message alone; its headers are empty.
impl<M: Fields> Content for M {
    const NAME: &'static str = <M as Fields>::NAME;

    fn decode(_headers: &Headers, body: &Bytes) -> Result<Self, DecodeError> {
        decode(<M as Fields>::NAME, body)
    }

    fn encode(&self) -> Result<(Headers, Bytes), EncodeError> {
        Ok((Headers::empty(), encode(self)))
    }
}

/// A protobuf message beside headers.
impl<M: Fields> Body for M {
    fn read(
        message: &'static str,
        _field: &'static str,
        body: &Bytes,
    ) -> Result<Self, DecodeError> {
        decode(message, body)
    }

    fn write(&self) -> Bytes {
        encode(self)
    }
}

/// Decodes a body. Bytes in the message share its memory.
pub(crate) fn decode<M: Fields>(message: &'static str, body: &Bytes) -> Result<M, DecodeError> {
    let mut input = Input::new(body);
    let mut decoded = M::default();
    let mut result = Ok(());
    while result.is_ok() && input.has_remaining() {
        result = decoded.merge_next(&mut input);
    }
    if input.is_exhausted() {
        return Err(DecodeError::TooManyElements { message });
    }
    match result {
        Ok(()) => Ok(decoded),
        Err(cause) => Err(DecodeError::Protobuf { message, cause }),
    }
}

pub(crate) fn encode(message: &impl Fields) -> Bytes {
    let mut out = BytesMut::with_capacity(message.fields_len());
    message.encode_fields(&mut out);
    out.freeze()
}
