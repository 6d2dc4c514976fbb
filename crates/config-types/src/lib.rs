//! Config types: the built-in ones, and validation by their JSON Schemas.
//!
//! Services and routers are configured by JSON objects, each of a type. [`built_in`] returns the types
//! that clients look up by name, with their fixed ids. [`Schema`] is compiled from the JSON Schema of a
//! type, built-in or custom, and validates configurations when they are written; its errors name the
//! invalid member and the reason.
//!
//! Schemas and configurations come from administrators, who must not be able to stall the controller. So
//! nothing is fetched, patterns run in linear time, and the work of a validation is estimated before it
//! is done. A schema may have 64 KiB, and schema and data 64 levels.
//!
//! The caller stores types and configurations, knows the type of each configuration, and validates
//! existing configurations again when a schema changes.
//!
//! # Examples
//!
//! ```
//! use portcullis_config_types::{Schema, built_in};
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_domain::config::JsonObject;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let types = built_in("2031-04-05T06:07:08Z".parse::<Timestamp>()?);
//! let host = types.iter().find(|kind| kind.spec.name == "host.v1").ok_or("not there")?;
//! let schema = Schema::compile(host.spec.schema.as_ref().ok_or("any object will do")?)?;
//!
//! let data: JsonObject = serde_json::from_str(r#"{"protocol":"tcp","address":"db","port":5432.0}"#)?;
//! let normalized = schema.validate(&data)?;
//! assert_eq!(normalized["port"].to_string(), "5432");
//!
//! let data: JsonObject = serde_json::from_str(r#"{"forwardProtocol":true,"address":"db","port":1}"#)?;
//! let error = schema.validate(&data).unwrap_err();
//! assert_eq!(error.field, "(root)");
//! assert_eq!(error.reason, "`allowedProtocols` is required");
//! # Ok(())
//! # }
//! ```

mod built_in;
mod schema;

pub use built_in::built_in;
pub use schema::{MAX_SCHEMA_SIZE, Schema};
