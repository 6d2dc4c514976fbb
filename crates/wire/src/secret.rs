//! Values that must not reach a log.

use crate::content::DecodeError;
use crate::headers::{Body, HeaderValue, Written};
use crate::protobuf::through;
use bytes::Bytes;
use portcullis_channel::headers::HeadersBuilder;
use portcullis_channel::{HeaderKey, Headers};
use std::fmt;

/// A text that gives rights to whoever has it, such as the token of a session.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(String);

/// Bytes that give rights to whoever has them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretBytes(Bytes);

impl Token {
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl SecretBytes {
    pub const fn new(bytes: Bytes) -> Self {
        Self(bytes)
    }

    pub const fn expose(&self) -> &Bytes {
        &self.0
    }
}

/// Shows the length only, and has the secret be written as what it holds.
macro_rules! secret {
    ($name:ident($inner:ty)) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({} bytes)", stringify!($name), self.0.len())
            }
        }

        through!($name => $inner);

        impl HeaderValue for $name {
            fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
                HeaderValue::read(headers, key).map(Self)
            }

            fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
                HeaderValue::write(&self.0, headers, key)
            }
        }

        impl Body for $name {
            fn read(
                message: &'static str,
                field: &'static str,
                body: &Bytes,
            ) -> Result<Self, DecodeError> {
                Body::read(message, field, body).map(Self)
            }

            fn write(&self) -> Bytes {
                Body::write(&self.0)
            }
        }
    };
}

secret!(Token(String));
secret!(SecretBytes(Bytes));
