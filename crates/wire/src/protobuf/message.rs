//! Messages: structs with a tag for each field.

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

        impl prost::Message for $name {
            fn encode_raw(&self, out: &mut impl bytes::BufMut) {
                $($crate::protobuf::message!(@encode $tag, $type, self.$field, out);)*
            }

            fn encoded_len(&self) -> usize {
                0 $(+ $crate::protobuf::message!(@encoded_len $tag, $type, self.$field))*
            }

            fn merge_field(
                &mut self,
                tag: u32,
                wire_type: $crate::protobuf::WireType,
                input: &mut impl bytes::Buf,
                context: $crate::protobuf::DecodeContext,
            ) -> Result<(), $crate::protobuf::ProtobufError> {
                $(
                    if $crate::protobuf::has_tag!($tag, $type, tag) {
                        let merged = $crate::protobuf::message!(
                            @merge $tag, $type, self.$field, tag, wire_type, input, context
                        );
                        return merged.map_err(|mut error: $crate::protobuf::ProtobufError| {
                            error.push(stringify!($name), stringify!($field));
                            error
                        });
                    }
                )*
                $crate::protobuf::skip_field(wire_type, tag, input, context)
            }

            fn clear(&mut self) {
                *self = Self::default();
            }
        }

        impl $crate::protobuf::Value for $name {
            fn is_default(&self) -> bool {
                prost::Message::encoded_len(self) == 0
            }

            fn encode(tag: u32, value: &Self, out: &mut impl bytes::BufMut) {
                prost::encoding::message::encode(tag, value, out);
            }

            fn encoded_len(tag: u32, value: &Self) -> usize {
                prost::encoding::message::encoded_len(tag, value)
            }

            fn merge(
                wire_type: $crate::protobuf::WireType,
                value: &mut Self,
                input: &mut impl bytes::Buf,
                context: $crate::protobuf::DecodeContext,
            ) -> Result<(), $crate::protobuf::ProtobufError> {
                prost::encoding::message::merge(wire_type, value, input, context)
            }
        }

        $crate::protobuf::from_protobuf!($name);
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
