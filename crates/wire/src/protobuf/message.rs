//! Messages: structs with a tag for each field.

use super::field::length;
use super::{Input, ProtobufError, Value, WireType};
use bytes::BytesMut;
use prost::encoding::{
    DecodeContext, check_wire_type, decode_key, encode_key, encode_varint, encoded_len_varint,
    key_len, merge_loop,
};

/// The fields of a message.
pub(crate) trait Fields: Default {
    /// Name of the message in errors.
    const NAME: &'static str;

    fn encode_fields(&self, out: &mut BytesMut);
    fn fields_len(&self) -> usize;
    /// Decodes a field, or passes over it.
    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        input: &mut Input,
    ) -> Result<(), ProtobufError>;

    /// Decodes the next field, whatever it is.
    fn merge_next(&mut self, input: &mut Input) -> Result<(), ProtobufError> {
        let (tag, wire_type) = decode_key(input)?;
        self.merge_field(tag, wire_type, input)
    }
}

/// A message within another one stands behind its length. No message contains itself, so the types bound
/// the depth.
impl<M: Fields> Value for M {
    fn is_default(&self) -> bool {
        self.fields_len() == 0
    }

    fn encode(tag: u32, value: &Self, out: &mut BytesMut) {
        encode_key(tag, WireType::LengthDelimited, out);
        encode_varint(length(value.fields_len()), out);
        value.encode_fields(out);
    }

    fn encoded_len(tag: u32, value: &Self) -> usize {
        let fields = value.fields_len();
        key_len(tag) + encoded_len_varint(length(fields)) + fields
    }

    fn merge(
        wire_type: WireType,
        value: &mut Self,
        input: &mut Input,
    ) -> Result<(), ProtobufError> {
        check_wire_type(WireType::LengthDelimited, wire_type)?;
        let context = DecodeContext::default();
        merge_loop(value, input, context, |value, input, _context| {
            value.merge_next(input)
        })
    }
}

/// Declares messages as structs. `= 3` is the tag of a field, `= one_of` stands for those of its type.
///
/// Fields must stand in the order of their tags, which is the one that they are written in.
macro_rules! message {
    ($(
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[$field_attribute:meta])* pub $field:ident: $type:ty = $tag:tt,)*
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_attribute])* pub $field: $type,)*
        }

        impl $crate::protobuf::Fields for $name {
            const NAME: &'static str = stringify!($name);

            fn encode_fields(&self, out: &mut bytes::BytesMut) {
                $($crate::protobuf::message!(@encode $tag, $type, self.$field, out);)*
            }

            fn fields_len(&self) -> usize {
                0 $(+ $crate::protobuf::message!(@encoded_len $tag, $type, self.$field))*
            }

            fn merge_field(
                &mut self,
                tag: u32,
                wire_type: $crate::protobuf::WireType,
                input: &mut $crate::protobuf::Input,
            ) -> Result<(), $crate::protobuf::ProtobufError> {
                $(
                    if $crate::protobuf::has_tag!($tag, $type, tag) {
                        let merged = $crate::protobuf::message!(
                            @merge $tag, $type, self.$field, tag, wire_type, input
                        );
                        return merged.map_err(|mut error: $crate::protobuf::ProtobufError| {
                            error.push(stringify!($name), stringify!($field));
                            error
                        });
                    }
                )*
                $crate::protobuf::skip(wire_type, tag, input)
            }
        }
    )*};

    (@encode one_of, $type:ty, $field:expr, $out:ident) => {
        $crate::protobuf::OneOf::encode(&$field, $out)
    };
    (@encode $tag:literal, $type:ty, $field:expr, $out:ident) => {
        <$type as $crate::protobuf::Field>::encode(&$field, $tag, $out)
    };
    (@encoded_len one_of, $type:ty, $field:expr) => {
        $crate::protobuf::OneOf::encoded_len(&$field)
    };
    (@encoded_len $tag:literal, $type:ty, $field:expr) => {
        <$type as $crate::protobuf::Field>::encoded_len(&$field, $tag)
    };
    (@merge one_of, $type:ty, $field:expr, $($argument:ident),*) => {
        $crate::protobuf::OneOf::merge(&mut $field, $($argument),*)
    };
    (@merge $tag:literal, $type:ty, $field:expr, $of:ident, $($argument:ident),*) => {
        <$type as $crate::protobuf::Field>::merge(&mut $field, $($argument),*)
    };
}
pub(crate) use message;

/// Whether a tag belongs to a field.
macro_rules! has_tag {
    (one_of, $type:ty, $tag:ident) => {
        <$type as $crate::protobuf::OneOf>::has($tag)
    };
    ($own:literal, $type:ty, $tag:ident) => {
        $tag == $own
    };
}
pub(crate) use has_tag;
