//! Protobuf messages as contents of messages.

use crate::content::DecodeError;
use bytes::Bytes;

/// Has a protobuf message be a whole message: its headers are empty.
macro_rules! from_protobuf {
    ($name:ident) => {
        impl $crate::content::Content for $name {
            const NAME: &'static str = stringify!($name);

            fn decode(
                _headers: &portcullis_channel::Headers,
                body: &bytes::Bytes,
            ) -> Result<Self, $crate::content::DecodeError> {
                $crate::protobuf::decode(Self::NAME, body)
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
                $crate::protobuf::decode(message, body)
            }

            fn write(&self) -> bytes::Bytes {
                prost::Message::encode_to_vec(self).into()
            }
        }
    };
}
pub(crate) use from_protobuf;

/// Decodes a body. Bytes fields share its memory.
pub(crate) fn decode<M: prost::Message + Default>(
    message: &'static str,
    body: &Bytes,
) -> Result<M, DecodeError> {
    M::decode(body.clone()).map_err(|cause| DecodeError::Protobuf { message, cause })
}
