//! What descriptions of the APIs are made from: schemas of responses, traced decoders of requests.
//!
//! Only tests make them. Without the feature `describe`, types have no schemas, and decoders leave no
//! trace.

#[cfg(feature = "describe")]
mod decoder;

#[cfg(feature = "describe")]
pub use decoder::RequestDecoder;
#[cfg(not(feature = "describe"))]
pub use portcullis_no_schema::JsonSchema;
#[cfg(feature = "describe")]
pub use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Every type, where nobody asks for its schema.
#[cfg(not(feature = "describe"))]
pub trait JsonSchema {}

#[cfg(not(feature = "describe"))]
impl<T: ?Sized> JsonSchema for T {}
