//! Types of configurations: those that every controller has, and the JSON Schemas of all.
//!
//! Services and routers are configured by JSON objects, each of a type. [`built_in`] makes the
//! types that clients look up by name, with their fixed ids. [`Schema`] is compiled from the JSON
//! Schema of a type, built-in or an administrator's own, and checks configurations when they are
//! written; it says which member is at fault, and why.
//!
//! Schemas and configurations come from administrators, but not every administrator may bring the
//! controller to a halt. So nothing is fetched, patterns run in linear time, and the work of a
//! check is counted before it is done. A schema may have 64 KiB, and schema and data 64 levels.
//!
//! Keeping types and configurations, and knowing which configuration is of which type, is left to
//! the caller; so is checking again what was written before a schema changed.
//!
//! # Examples
//!
//! ```
//! use portcullis_config_types::{Schema, built_in};
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_domain::config::Object;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let types = built_in("2031-04-05T06:07:08Z".parse::<Timestamp>()?);
//! let host = types.iter().find(|kind| kind.spec.name == "host.v1").ok_or("not there")?;
//! let schema = Schema::compile(host.spec.schema.as_ref().ok_or("any object will do")?)?;
//!
//! let data: Object = serde_json::from_str(r#"{"protocol":"tcp","address":"db","port":5432.0}"#)?;
//! let kept = schema.check(&data)?;
//! assert_eq!(kept["port"].to_string(), "5432");
//!
//! let data: Object = serde_json::from_str(r#"{"forwardProtocol":true,"address":"db","port":1}"#)?;
//! let error = schema.check(&data).unwrap_err();
//! assert_eq!(error.field, "(root)");
//! assert_eq!(error.reason, "`allowedProtocols` is required");
//! # Ok(())
//! # }
//! ```

mod built_in;
mod schema;

pub use built_in::built_in;
pub use schema::{LARGEST_SCHEMA, Schema};
