//! Values that must not reach a log.

use crate::content::DecodeError;
use crate::headers::{Body, HeaderValue, Written};
use crate::protobuf::{Input, ProtobufError, Value, WireType};
use bytes::{Bytes, BytesMut};
use portcullis_channel::headers::HeadersBuilder;
use portcullis_channel::{HeaderKey, Headers};
use std::fmt;

/// A value that must not reach a log: what gives rights, or belongs to users.
///
/// ```
/// use portcullis_wire::Secret;
///
/// let token = Secret::new("ey...".to_owned());
/// assert_eq!(format!("{token:?}"), "Secret");
/// assert_eq!(token.expose(), "ey...");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Secret<T>(T);

/// A text that gives rights to whoever has it, such as the token of a session.
pub type Token = Secret<String>;

impl<T> Secret<T> {
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    pub const fn expose(&self) -> &T {
        &self.0
    }

    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl<T: Value> Value for Secret<T> {
    fn is_default(&self) -> bool {
        self.0.is_default()
    }

    fn encode(tag: u32, value: &Self, out: &mut BytesMut) {
        T::encode(tag, &value.0, out);
    }

    fn encoded_len(tag: u32, value: &Self) -> usize {
        T::encoded_len(tag, &value.0)
    }

    fn merge(
        wire_type: WireType,
        value: &mut Self,
        input: &mut Input,
    ) -> Result<(), ProtobufError> {
        T::merge(wire_type, &mut value.0, input)
    }
}

impl<T: HeaderValue> HeaderValue for Secret<T> {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        T::read(headers, key).map(Self)
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        self.0.write(headers, key)
    }
}

impl<T: Body> Body for Secret<T> {
    fn read(message: &'static str, field: &'static str, body: &Bytes) -> Result<Self, DecodeError> {
        T::read(message, field, body).map(Self)
    }

    fn write(&self) -> Bytes {
        self.0.write()
    }
}
