//! Built-in config types of every controller.
//!
//! Clients look them up by name, and the console builds its forms from the schemas. So ids, names and
//! schemas are part of the API.

mod addresses;
mod checks;
mod host;
mod intercept;
mod router_link;
mod simple;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{ConfigTarget, ConfigType, ConfigTypeSpec, JsonObject};
use portcullis_domain::ids::ConfigTypeId;
use serde_json::{Value, json};

/// Definition of a built-in type.
struct BuiltInType {
    id: &'static str,
    name: &'static str,
    target: ConfigTarget,
    schema: fn() -> JsonObject,
}

const BUILT_IN_TYPES: [BuiltInType; 8] = [
    BuiltInType {
        id: "f2dd2df0-9c04-4b84-a91e-71437ac229f1",
        name: "ziti-tunneler-client.v1",
        target: ConfigTarget::Service,
        schema: simple::tunneler_client,
    },
    BuiltInType {
        id: "cea49285-6c07-42cf-9f52-09a9b115c783",
        name: "ziti-tunneler-server.v1",
        target: ConfigTarget::Service,
        schema: simple::tunneler_server,
    },
    BuiltInType {
        id: "g7cIWbcGg",
        name: "intercept.v1",
        target: ConfigTarget::Service,
        schema: intercept::schema,
    },
    BuiltInType {
        id: "NH5p4FpGR",
        name: "host.v1",
        target: ConfigTarget::Service,
        schema: host::v1,
    },
    BuiltInType {
        id: "host.v2",
        name: "host.v2",
        target: ConfigTarget::Service,
        schema: host::v2,
    },
    BuiltInType {
        id: "interfaces.v1",
        name: "interfaces.v1",
        target: ConfigTarget::Service,
        schema: simple::interfaces,
    },
    BuiltInType {
        id: "proxy.v1",
        name: "proxy.v1",
        target: ConfigTarget::Service,
        schema: simple::proxy,
    },
    BuiltInType {
        id: "router.link.v1",
        name: "router.link.v1",
        target: ConfigTarget::Router,
        schema: router_link::schema,
    },
];

/// Returns the built-in types, created at `now`.
///
/// Their ids are the same everywhere.
pub fn built_in(now: Timestamp) -> Vec<ConfigType> {
    BUILT_IN_TYPES
        .into_iter()
        .map(|built_in| ConfigType {
            id: ConfigTypeId::from_wire(built_in.id),
            created_at: now,
            updated_at: now,
            spec: ConfigTypeSpec {
                schema: Some((built_in.schema)()),
                target: built_in.target,
                ..ConfigTypeSpec::named(built_in.name)
            },
        })
        .collect()
}

/// An object with these members.
fn members<const N: usize>(members: [(&str, Value); N]) -> JsonObject {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Schema of an object with exactly these properties.
fn closed_object(properties: JsonObject, required: &[&str]) -> JsonObject {
    let mut schema = members([
        ("type", json!("object")),
        ("additionalProperties", json!(false)),
        ("properties", Value::Object(properties)),
    ]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

/// Turns `schema` into the root of a document.
fn document(id: &str, definitions: JsonObject, mut schema: JsonObject) -> JsonObject {
    schema.insert("$id".to_owned(), json!(id));
    if !definitions.is_empty() {
        schema.insert("definitions".to_owned(), Value::Object(definitions));
    }
    schema
}

/// Reference to `name` in the definitions.
fn definition_ref(name: &str) -> Value {
    json!({"$ref": format!("#/definitions/{name}")})
}

/// As [`definition_ref`], with a description for forms.
fn described_ref(name: &str, description: &str) -> Value {
    with_description(definition_ref(name), description)
}

/// `schema` with a description for forms.
fn with_description(schema: Value, description: &str) -> Value {
    with_member(schema, "description", json!(description))
}

/// `schema` with an additional member.
fn with_member(mut schema: Value, name: &str, value: Value) -> Value {
    if let Value::Object(schema) = &mut schema {
        schema.insert(name.to_owned(), value);
    }
    schema
}

/// Any string.
fn string() -> Value {
    json!({"type": "string"})
}

/// One of these strings.
fn string_enum(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

/// An integer between two inclusive bounds.
fn integer_range(minimum: u32, maximum: u32) -> Value {
    json!({"type": "integer", "minimum": minimum, "maximum": maximum})
}
