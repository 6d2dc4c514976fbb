//! Values that stand under a tag.

use super::{Input, ProtobufError, WireType};
use bytes::{Bytes, BytesMut};
use prost::encoding::{self, DecodeContext};

/// A value that a field may have: once, many times, or as key or value of a map.
///
/// Encoding writes defaults too; a field leaves them out.
pub(crate) trait Value: Default {
    fn is_default(&self) -> bool;
    fn encode(tag: u32, value: &Self, out: &mut BytesMut);
    fn encoded_len(tag: u32, value: &Self) -> usize;
    fn merge(wire_type: WireType, value: &mut Self, input: &mut Input)
    -> Result<(), ProtobufError>;

    /// Encodes a list: one after the other, unless the type is packed.
    fn encode_all(tag: u32, values: &[Self], out: &mut BytesMut) {
        for value in values {
            Self::encode(tag, value, out);
        }
    }

    fn encoded_len_of_all(tag: u32, values: &[Self]) -> usize {
        let lengths = values.iter().map(|value| Self::encoded_len(tag, value));
        lengths.sum()
    }

    /// Decodes one more of a list, or several that are packed.
    fn merge_more(
        wire_type: WireType,
        values: &mut Vec<Self>,
        input: &mut Input,
    ) -> Result<(), ProtobufError> {
        let mut value = Self::default();
        Self::merge(wire_type, &mut value, input)?;
        values.push(value);
        Ok(())
    }
}

/// Values that `prost` encodes under one name, with their default.
macro_rules! values {
    ($($value:ty: $encoding:ident, $is_default:expr, { $($packed:item)* })*) => {$(
        impl Value for $value {
            fn is_default(&self) -> bool {
                let is_default: fn(&Self) -> bool = $is_default;
                is_default(self)
            }

            fn encode(tag: u32, value: &Self, out: &mut BytesMut) {
                encoding::$encoding::encode(tag, value, out);
            }

            fn encoded_len(tag: u32, value: &Self) -> usize {
                encoding::$encoding::encoded_len(tag, value)
            }

            fn merge(
                wire_type: WireType,
                value: &mut Self,
                input: &mut Input,
            ) -> Result<(), ProtobufError> {
                encoding::$encoding::merge(wire_type, value, input, DecodeContext::default())
            }

            $($packed)*
        }
    )*};
}

values! {
    bool: bool, |value| !value, {}
    String: string, Self::is_empty, {}
    Bytes: bytes, Self::is_empty, {}
}

/// Numbers, which lists have packed. Lists that are not are read as well.
macro_rules! numbers {
    ($($number:ty: $encoding:ident),* $(,)?) => {
        values! {$(
            $number: $encoding, |value| value.to_le_bytes() == Self::default().to_le_bytes(), {
                fn encode_all(tag: u32, values: &[Self], out: &mut BytesMut) {
                    encoding::$encoding::encode_packed(tag, values, out);
                }

                fn encoded_len_of_all(tag: u32, values: &[Self]) -> usize {
                    encoding::$encoding::encoded_len_packed(tag, values)
                }

                fn merge_more(
                    wire_type: WireType,
                    values: &mut Vec<Self>,
                    input: &mut Input,
                ) -> Result<(), ProtobufError> {
                    let context = DecodeContext::default();
                    encoding::$encoding::merge_repeated(wire_type, values, input, context)
                }
            }
        )*}
    };
}

numbers! {
    i32: int32,
    i64: int64,
    u32: uint32,
    u64: uint64,
    f64: double,
}
