//! Values of headers, and bodies beside them.

use crate::content::DecodeError;
use bytes::Bytes;
use portcullis_channel::headers::{EncodeError, HeadersBuilder};
use portcullis_channel::{HeaderKey, Headers};
use std::collections::BTreeMap;

/// Headers with one more value, unless that is too long.
pub(crate) type Written = Result<HeadersBuilder, EncodeError>;

/// A type that the value of a header may have.
pub(crate) trait HeaderValue: Sized {
    /// The value; `None` if it is missing or of another type.
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self>;
    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written;
}

/// A header that a message must have, or may have.
pub(crate) trait HeaderField: Sized {
    /// The field; `None` if the message must have it, and does not.
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self>;
    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written;
}

impl<V: HeaderValue> HeaderField for V {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        V::read(headers, key)
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        V::write(self, headers, key)
    }
}

impl<V: HeaderValue> HeaderField for Option<V> {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        Some(V::read(headers, key))
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        match self {
            Some(value) => value.write(headers, key),
            None => Ok(headers),
        }
    }
}

/// Values that need no check.
macro_rules! values {
    ($($type:ty: $method:ident;)*) => {$(
        impl HeaderValue for $type {
            fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
                headers.$method(key)
            }

            fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
                Ok(headers.$method(key, *self))
            }
        }
    )*};
}

values! {
    bool: bool;
    u8: u8;
    u16: u16;
    u32: u32;
    u64: u64;
}

impl HeaderValue for String {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        headers.string(key).map(str::to_owned)
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        Ok(headers.string(key, self))
    }
}

impl HeaderValue for Bytes {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        headers.bytes(key)
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        Ok(headers.bytes(key, self))
    }
}

impl HeaderValue for Vec<String> {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        headers.string_list(key)
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        let texts: Vec<&str> = self.iter().map(String::as_str).collect();
        headers.string_list(key, &texts)
    }
}

impl HeaderValue for BTreeMap<String, String> {
    fn read(headers: &Headers, key: HeaderKey) -> Option<Self> {
        headers.string_map(key)
    }

    fn write(&self, headers: HeadersBuilder, key: HeaderKey) -> Written {
        let entries = self.iter().map(|(name, text)| (&name[..], &text[..]));
        headers.string_map(key, entries)
    }
}

/// A type that the body of a message may have beside headers.
pub(crate) trait Body: Sized {
    fn read(message: &'static str, field: &'static str, body: &Bytes) -> Result<Self, DecodeError>;
    fn write(&self) -> Bytes;
}

impl Body for Bytes {
    fn read(
        _message: &'static str,
        _field: &'static str,
        body: &Bytes,
    ) -> Result<Self, DecodeError> {
        Ok(body.clone())
    }

    fn write(&self) -> Bytes {
        self.clone()
    }
}

impl Body for String {
    fn read(message: &'static str, field: &'static str, body: &Bytes) -> Result<Self, DecodeError> {
        Self::from_utf8(body.to_vec()).map_err(|_bytes| DecodeError::Body {
            message,
            field,
            expected: "UTF-8",
        })
    }

    fn write(&self) -> Bytes {
        Bytes::copy_from_slice(self.as_bytes())
    }
}
