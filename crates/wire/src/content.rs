//! What a message consists of: headers and body.

use bytes::Bytes;
use portcullis_channel::{HeaderKey, Headers, headers};

/// Headers and body of a message, without its content type.
///
/// Headers and fields that a type does not have are passed over: newer peers send them.
pub trait Content: Sized {
    /// Name of the message in errors.
    const NAME: &'static str;

    /// Decodes what was received.
    fn decode(headers: &Headers, body: &Bytes) -> Result<Self, DecodeError>;

    /// Encodes what is to be sent.
    fn encode(&self) -> Result<(Headers, Bytes), EncodeError>;
}

/// What was received is not the message that its content type promises.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The body is not the protobuf that it should be; the cause names the field.
    #[error("{message}: {cause}")]
    Protobuf {
        message: &'static str,
        cause: prost::DecodeError,
    },
    /// Lists or maps in the body would take more memory than it is worth; see
    /// [`MEMORY_FACTOR`](crate::MEMORY_FACTOR).
    #[error("{message}: too many elements for a body of its length")]
    TooManyElements { message: &'static str },
    /// A header that the message needs is missing, or its value is of another type.
    #[error("{message}: header {} ({field}) is missing or unreadable", key.0)]
    Header {
        message: &'static str,
        field: &'static str,
        key: HeaderKey,
    },
    /// There is more in headers that travel from end to end than any peer has a use for.
    #[error("{message}: more than {limit} bytes of headers that travel from end to end")]
    TooMuchInHeaders { message: &'static str, limit: usize },
    /// The body is of another type.
    #[error("{message}: the body ({field}) is not {expected}")]
    Body {
        message: &'static str,
        field: &'static str,
        expected: &'static str,
    },
}

/// A message cannot be sent, because a list or map in a header of it is too long: its receiver would
/// take it for missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{message}: {cause}")]
pub struct EncodeError {
    pub message: &'static str,
    pub cause: headers::EncodeError,
}
