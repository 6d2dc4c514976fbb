//! Protobuf, chosen by the types of the fields.
//!
//! Everything that touches `prost` is here. Its derive is not used: it has a field for an enumeration be
//! a number, and the method that reads it turns a value from a newer peer into the first of those that
//! are known, so that an unknown fault would be read as the end of a circuit.

mod content;
mod enumeration;
mod field;
mod message;
mod one_of;
mod value;

pub(crate) use content::{decode, from_protobuf};
pub(crate) use enumeration::enumeration;
pub(crate) use field::Field;
pub(crate) use message::{has_tag, message};
pub(crate) use one_of::{OneOf, one_of};
pub(crate) use prost::encoding::{DecodeContext, WireType, skip_field};
pub(crate) use value::Value;

/// Most bytes that an element of a list takes in memory, beside its contents.
pub const MAX_ELEMENT_BYTES: usize = 256;

/// Where the errors of decoding come from.
pub(crate) type ProtobufError = prost::DecodeError;
