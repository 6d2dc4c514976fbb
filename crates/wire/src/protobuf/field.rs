//! Fields of a message: a value, one that may be missing, a list, a map.

use super::{Input, ProtobufError, Value, WireType};
use bytes::BytesMut;
use prost::encoding::{
    self, DecodeContext, encode_key, encode_varint, encoded_len_varint, key_len,
};
use std::collections::BTreeMap;
use std::hash::Hash;

/// A field of a message.
pub(crate) trait Field {
    fn encode(&self, tag: u32, out: &mut BytesMut);
    fn encoded_len(&self, tag: u32) -> usize;
    fn merge(&mut self, wire_type: WireType, input: &mut Input) -> Result<(), ProtobufError>;
}

/// A value, whose default is left out.
impl<V: Value> Field for V {
    fn encode(&self, tag: u32, out: &mut BytesMut) {
        if !self.is_default() {
            V::encode(tag, self, out);
        }
    }

    fn encoded_len(&self, tag: u32) -> usize {
        if self.is_default() {
            0
        } else {
            V::encoded_len(tag, self)
        }
    }

    fn merge(&mut self, wire_type: WireType, input: &mut Input) -> Result<(), ProtobufError> {
        V::merge(wire_type, self, input)
    }
}

impl<V: Value> Field for Option<V> {
    fn encode(&self, tag: u32, out: &mut BytesMut) {
        if let Some(value) = self {
            V::encode(tag, value, out);
        }
    }

    fn encoded_len(&self, tag: u32) -> usize {
        self.as_ref().map_or(0, |value| V::encoded_len(tag, value))
    }

    fn merge(&mut self, wire_type: WireType, input: &mut Input) -> Result<(), ProtobufError> {
        V::merge(wire_type, self.get_or_insert_default(), input)
    }
}

impl<V: Value> Field for Vec<V> {
    fn encode(&self, tag: u32, out: &mut BytesMut) {
        V::encode_all(tag, self, out);
    }

    fn encoded_len(&self, tag: u32) -> usize {
        V::encoded_len_of_all(tag, self)
    }

    fn merge(&mut self, wire_type: WireType, input: &mut Input) -> Result<(), ProtobufError> {
        let before = self.len();
        V::merge_more(wire_type, self, input)?;
        input.charge::<V>(self.len() - before);
        Ok(())
    }
}

/// A map is a list of entries with key 1 and value 2; both are always written, as peers do.
impl<K: Value + Eq + Hash + Ord, V: Value> Field for BTreeMap<K, V> {
    fn encode(&self, tag: u32, out: &mut BytesMut) {
        for (key, value) in self {
            encode_key(tag, WireType::LengthDelimited, out);
            encode_varint(length(entry_len(key, value)), out);
            K::encode(1, key, out);
            V::encode(2, value, out);
        }
    }

    fn encoded_len(&self, tag: u32) -> usize {
        self.iter()
            .map(|(key, value)| entry_len(key, value))
            .map(|entry| key_len(tag) + encoded_len_varint(length(entry)) + entry)
            .sum()
    }

    fn merge(&mut self, wire_type: WireType, input: &mut Input) -> Result<(), ProtobufError> {
        encoding::check_wire_type(WireType::LengthDelimited, wire_type)?;
        let before = self.len();
        encoding::btree_map::merge(
            |wire_type, key, input, _context| K::merge(wire_type, key, input),
            |wire_type, value, input, _context| V::merge(wire_type, value, input),
            self,
            input,
            DecodeContext::default(),
        )?;
        input.charge::<(K, V)>(self.len() - before);
        Ok(())
    }
}

fn entry_len<K: Value, V: Value>(key: &K, value: &V) -> usize {
    K::encoded_len(1, key) + V::encoded_len(2, value)
}

pub(super) fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
