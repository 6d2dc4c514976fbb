//! Fields of which a message has one.

use super::{Input, ProtobufError, WireType};
use bytes::BytesMut;

/// A field that is one of several, each with its tag.
pub(crate) trait OneOf {
    fn has(tag: u32) -> bool;
    fn encode(&self, out: &mut BytesMut);
    fn encoded_len(&self) -> usize;
    /// Decodes the field with `tag`, which is one of [`has`](Self::has). The same one again is merged,
    /// another one takes its place.
    fn merge(
        &mut self,
        tag: u32,
        wire_type: WireType,
        input: &mut Input,
    ) -> Result<(), ProtobufError>;
}

/// Declares an enum of which a message has one as a field. What is in it is boxed, so that lists of such
/// messages are short.
macro_rules! one_of {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident($value:ty) = $tag:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $($(#[$variant_attribute])* $variant(Box<$value>),)*
        }

        impl $crate::protobuf::OneOf for Option<$name> {
            fn has(tag: u32) -> bool {
                [$($tag),*].contains(&tag)
            }

            fn encode(&self, out: &mut bytes::BytesMut) {
                match self {
                    None => {},
                    $(Some($name::$variant(value)) => {
                        <$value as $crate::protobuf::Value>::encode($tag, value, out);
                    },)*
                }
            }

            fn encoded_len(&self) -> usize {
                match self {
                    None => 0,
                    $(Some($name::$variant(value)) => {
                        <$value as $crate::protobuf::Value>::encoded_len($tag, value)
                    },)*
                }
            }

            fn merge(
                &mut self,
                tag: u32,
                wire_type: $crate::protobuf::WireType,
                input: &mut $crate::protobuf::Input,
            ) -> Result<(), $crate::protobuf::ProtobufError> {
                match tag {
                    $($tag => {
                        let mut value = match self.take() {
                            Some($name::$variant(value)) => value,
                            _ => {
                                input.charge::<$value>(1);
                                Box::default()
                            },
                        };
                        <$value as $crate::protobuf::Value>::merge(
                            wire_type, &mut value, input,
                        )?;
                        *self = Some($name::$variant(value));
                        Ok(())
                    },)*
                    _ => $crate::protobuf::skip(wire_type, tag, input),
                }
            }
        }
    };
}
pub(crate) use one_of;
