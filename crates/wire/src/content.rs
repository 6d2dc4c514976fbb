//! What a message consists of: headers and body.

use crate::protobuf::ProtobufError;
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
        cause: ProtobufError,
    },
    /// A header that the message needs is missing, or its value is of another type.
    #[error("{message}: header {} ({field}) is missing or unreadable", key.0)]
    Header {
        message: &'static str,
        field: &'static str,
        key: HeaderKey,
    },
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

/// Has a protobuf message be a whole message: its headers are empty.
macro_rules! from_protobuf {
    ($name:ident) => {
        impl $crate::content::Content for $name {
            const NAME: &'static str = stringify!($name);

            fn decode(
                _headers: &portcullis_channel::Headers,
                body: &bytes::Bytes,
            ) -> Result<Self, $crate::content::DecodeError> {
                $crate::content::decode_protobuf(Self::NAME, body)
            }

            fn encode(
                &self,
            ) -> Result<(portcullis_channel::Headers, bytes::Bytes), $crate::content::EncodeError>
            {
                let body = prost::Message::encode_to_vec(self).into();
                Ok((portcullis_channel::Headers::empty(), body))
            }
        }

        impl $crate::headers::Body for $name {
            fn read(
                message: &'static str,
                _field: &'static str,
                body: &bytes::Bytes,
            ) -> Result<Self, $crate::content::DecodeError> {
                $crate::content::decode_protobuf(message, body)
            }

            fn write(&self) -> bytes::Bytes {
                prost::Message::encode_to_vec(self).into()
            }
        }
    };
}
pub(crate) use from_protobuf;

/// Decodes a body. Bytes fields share its memory.
pub(crate) fn decode_protobuf<M: prost::Message + Default>(
    message: &'static str,
    body: &Bytes,
) -> Result<M, DecodeError> {
    M::decode(body.clone()).map_err(|cause| DecodeError::Protobuf { message, cause })
}
