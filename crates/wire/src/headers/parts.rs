//! The parts of a message: those that were received, and those to be sent.

use super::{Body, HeaderField, HeaderValue};
use crate::content::{DecodeError, EncodeError};
use bytes::Bytes;
use portcullis_channel::headers::HeadersBuilder;
use portcullis_channel::{HeaderKey, Headers};

/// What stands behind a field: a number, or a key with a name.
pub(crate) trait Key {
    fn key(self) -> HeaderKey;
}

impl Key for i32 {
    fn key(self) -> HeaderKey {
        HeaderKey(self)
    }
}

impl Key for HeaderKey {
    fn key(self) -> HeaderKey {
        self
    }
}

/// A message that was received.
pub(crate) struct Received<'a> {
    pub(crate) message: &'static str,
    pub(crate) headers: &'a Headers,
    pub(crate) body: &'a Bytes,
}

impl Received<'_> {
    pub(crate) fn header<F: HeaderField>(
        &self,
        field: &'static str,
        key: impl Key,
    ) -> Result<F, DecodeError> {
        let key = key.key();
        F::read(self.headers, key).ok_or(DecodeError::Header {
            message: self.message,
            field,
            key,
        })
    }

    pub(crate) fn header_or_default<V: HeaderValue + Default>(&self, key: impl Key) -> V {
        V::read(self.headers, key.key()).unwrap_or_default()
    }

    pub(crate) fn body<B: Body>(&self, field: &'static str) -> Result<B, DecodeError> {
        B::read(self.message, field, self.body)
    }

    /// The body as a text for people: what is not UTF-8 in it is replaced.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.body).into_owned()
    }
}

/// A message that is to be sent.
pub(crate) struct Parts {
    message: &'static str,
    headers: HeadersBuilder,
    body: Bytes,
}

impl Parts {
    pub(crate) fn new(message: &'static str) -> Self {
        Self {
            message,
            headers: Headers::builder(),
            body: Bytes::new(),
        }
    }

    pub(crate) fn header(
        self,
        key: impl Key,
        field: &impl HeaderField,
    ) -> Result<Self, EncodeError> {
        let headers = field.write(self.headers, key.key());
        Ok(Self {
            headers: headers.map_err(|cause| EncodeError {
                message: self.message,
                cause,
            })?,
            ..self
        })
    }

    /// Leaves the header out if it has the default.
    pub(crate) fn header_or_default<V: HeaderValue + Default + PartialEq>(
        self,
        key: impl Key,
        value: &V,
    ) -> Result<Self, EncodeError> {
        if *value == V::default() {
            return Ok(self);
        }
        self.header(key, value)
    }

    pub(crate) fn body(self, body: &impl Body) -> Self {
        Self {
            body: body.write(),
            ..self
        }
    }

    pub(crate) fn finish(self) -> (Headers, Bytes) {
        (self.headers.build(), self.body)
    }
}
