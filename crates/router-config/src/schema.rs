//! JSON Schema of the configuration file.

use serde_json::Value as Json;

use crate::table::RouterFile;

/// Builds the schema, in the dialect 2020-12, for completion, hover and validation in editors.
///
/// It covers keys, types, bounds, defaults and examples. Constraints across sections are left to
/// [`check`](crate::check()).
pub fn schema() -> Json {
    portcullis_key_table::schema::<RouterFile>()
}
