//! Protobuf, chosen by the types of the fields.
//!
//! Everything that touches `prost` is here. Its derive is not used: it has a field for an enumeration be
//! a number, and the method that reads it turns a value from a newer peer into the first of those that
//! are known, so that an unknown fault would be read as the end of a circuit. Nor does it bound the
//! memory of lists, whose elements may take a hundred times of what they take on the wire.

mod content;
mod enumeration;
mod field;
mod input;
mod message;
mod one_of;
mod value;

pub(crate) use content::{decode, encode};
pub(crate) use enumeration::enumeration;
pub(crate) use field::Field;
pub(crate) use input::{Input, skip};
pub(crate) use message::{Fields, has_tag, message};
pub(crate) use one_of::{OneOf, one_of};
pub(crate) use prost::DecodeError as ProtobufError;
pub(crate) use prost::encoding::WireType;
pub(crate) use value::Value;

pub use input::{MEMORY_FACTOR, MEMORY_FREE_BYTES};
