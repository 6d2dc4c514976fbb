//! What tests share.

use portcullis_config_types::{Schema, built_in};
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{ConfigType, JsonObject};
use serde_json::Value;

/// The built-in type called `name`.
pub(crate) fn named(name: &str) -> ConfigType {
    built_in(Timestamp::UNIX_EPOCH)
        .into_iter()
        .find(|kind| kind.spec.name == name)
        .unwrap_or_else(|| panic!("{name} is built in"))
}

/// The schema of the built-in type called `name`.
pub(crate) fn schema_of(name: &str) -> Schema {
    Schema::compile(&named(name).spec.schema.unwrap()).unwrap()
}

pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

pub(crate) fn compile(schema: Value) -> Result<Schema, FieldError> {
    Schema::compile(&object(schema))
}

pub(crate) fn check(schema: Value, data: Value) -> Result<JsonObject, FieldError> {
    compile(schema).unwrap().validate(&object(data))
}
