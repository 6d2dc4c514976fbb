//! Values that stand under a tag.

use super::{DecodeContext, ProtobufError, WireType};
use bytes::{Buf, BufMut, Bytes};
use prost::encoding;

/// A value that a field may have: once, many times, or as key or value of a map.
///
/// Encoding writes defaults too; a field leaves them out.
pub(crate) trait Value: Default {
    fn is_default(&self) -> bool;
    fn encode(tag: u32, value: &Self, out: &mut impl BufMut);
    fn encoded_len(tag: u32, value: &Self) -> usize;
    fn merge(
        wire_type: WireType,
        value: &mut Self,
        input: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), ProtobufError>;

    /// Encodes a list: one after the other, unless the type is packed.
    fn encode_all(tag: u32, values: &[Self], out: &mut impl BufMut) {
        for value in values {
            Self::encode(tag, value, out);
        }
    }

    fn encoded_len_of_all(tag: u32, values: &[Self]) -> usize {
        values
            .iter()
            .map(|value| Self::encoded_len(tag, value))
            .sum()
    }

    /// Decodes one more of a list, or several that are packed.
    fn merge_more(
        wire_type: WireType,
        values: &mut Vec<Self>,
        input: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), ProtobufError> {
        let mut value = Self::default();
        Self::merge(wire_type, &mut value, input, context)?;
        values.push(value);
        Ok(())
    }
}

/// Numbers, which lists have packed. Lists that are not are read as well.
macro_rules! numbers {
    ($($number:ty: $encoding:ident),* $(,)?) => {$(
        impl Value for $number {
            fn is_default(&self) -> bool {
                self.to_le_bytes() == Self::default().to_le_bytes()
            }

            fn encode(tag: u32, value: &Self, out: &mut impl BufMut) {
                encoding::$encoding::encode(tag, value, out);
            }

            fn encoded_len(tag: u32, value: &Self) -> usize {
                encoding::$encoding::encoded_len(tag, value)
            }

            fn merge(
                wire_type: WireType,
                value: &mut Self,
                input: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<(), ProtobufError> {
                encoding::$encoding::merge(wire_type, value, input, context)
            }

            fn encode_all(tag: u32, values: &[Self], out: &mut impl BufMut) {
                encoding::$encoding::encode_packed(tag, values, out);
            }

            fn encoded_len_of_all(tag: u32, values: &[Self]) -> usize {
                encoding::$encoding::encoded_len_packed(tag, values)
            }

            fn merge_more(
                wire_type: WireType,
                values: &mut Vec<Self>,
                input: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<(), ProtobufError> {
                encoding::$encoding::merge_repeated(wire_type, values, input, context)
            }
        }
    )*};
}

numbers! {
    i32: int32,
    i64: int64,
    u32: uint32,
    u64: uint64,
    f64: double,
}

/// Values that `prost` encodes under one name.
macro_rules! values {
    ($($value:ty: $encoding:ident, $is_default:expr;)*) => {$(
        impl Value for $value {
            fn is_default(&self) -> bool {
                let is_default: fn(&Self) -> bool = $is_default;
                is_default(self)
            }

            fn encode(tag: u32, value: &Self, out: &mut impl BufMut) {
                encoding::$encoding::encode(tag, value, out);
            }

            fn encoded_len(tag: u32, value: &Self) -> usize {
                encoding::$encoding::encoded_len(tag, value)
            }

            fn merge(
                wire_type: WireType,
                value: &mut Self,
                input: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<(), ProtobufError> {
                encoding::$encoding::merge(wire_type, value, input, context)
            }
        }
    )*};
}

values! {
    bool: bool, |value| !value;
    String: string, Self::is_empty;
    Bytes: bytes, Self::is_empty;
}

impl<V: Value> Value for Box<V> {
    fn is_default(&self) -> bool {
        V::is_default(self)
    }

    fn encode(tag: u32, value: &Self, out: &mut impl BufMut) {
        V::encode(tag, value, out);
    }

    fn encoded_len(tag: u32, value: &Self) -> usize {
        V::encoded_len(tag, value)
    }

    fn merge(
        wire_type: WireType,
        value: &mut Self,
        input: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), ProtobufError> {
        V::merge(wire_type, value, input, context)
    }
}
