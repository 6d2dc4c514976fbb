//! The types of configurations that every controller has from the start.
//!
//! Clients look them up by name, and the console draws its forms from the schemas. So ids, names
//! and schemas are part of the API.

mod addresses;
mod checks;
mod host;
mod intercept;
mod router_link;
mod simple;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{ConfigType, ConfigTypeSpec, Object, Target};
use portcullis_domain::ids::ConfigTypeId;
use portcullis_domain::tags::Tags;
use serde_json::{Value, json};

/// What a built-in type consists of.
struct BuiltIn {
    id: &'static str,
    name: &'static str,
    target: Target,
    schema: fn() -> Object,
}

const TYPES: [BuiltIn; 8] = [
    BuiltIn {
        id: "f2dd2df0-9c04-4b84-a91e-71437ac229f1",
        name: "ziti-tunneler-client.v1",
        target: Target::Service,
        schema: simple::tunneler_client,
    },
    BuiltIn {
        id: "cea49285-6c07-42cf-9f52-09a9b115c783",
        name: "ziti-tunneler-server.v1",
        target: Target::Service,
        schema: simple::tunneler_server,
    },
    BuiltIn {
        id: "g7cIWbcGg",
        name: "intercept.v1",
        target: Target::Service,
        schema: intercept::schema,
    },
    BuiltIn {
        id: "NH5p4FpGR",
        name: "host.v1",
        target: Target::Service,
        schema: host::one,
    },
    BuiltIn {
        id: "host.v2",
        name: "host.v2",
        target: Target::Service,
        schema: host::several,
    },
    BuiltIn {
        id: "interfaces.v1",
        name: "interfaces.v1",
        target: Target::Service,
        schema: simple::interfaces,
    },
    BuiltIn {
        id: "proxy.v1",
        name: "proxy.v1",
        target: Target::Service,
        schema: simple::proxy,
    },
    BuiltIn {
        id: "router.link.v1",
        name: "router.link.v1",
        target: Target::Router,
        schema: router_link::schema,
    },
];

/// Makes the built-in types, as of `now`.
///
/// Their ids are the same everywhere.
pub fn built_in(now: Timestamp) -> Vec<ConfigType> {
    TYPES
        .into_iter()
        .map(|built_in| ConfigType {
            id: ConfigTypeId::from_wire(built_in.id),
            created_at: now,
            updated_at: now,
            spec: ConfigTypeSpec {
                name: built_in.name.to_owned(),
                schema: Some((built_in.schema)()),
                target: built_in.target,
                tags: Tags::default(),
            },
        })
        .collect()
}

/// An object of these members.
fn members<const N: usize>(members: [(&str, Value); N]) -> Object {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The schema of an object that has no other members than these.
fn closed(properties: Object, required: &[&str]) -> Object {
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

/// Makes `schema` the root of a document.
fn document(id: &str, definitions: Object, mut schema: Object) -> Object {
    schema.insert("$id".to_owned(), json!(id));
    if !definitions.is_empty() {
        schema.insert("definitions".to_owned(), Value::Object(definitions));
    }
    schema
}

/// What stands under `name` in the definitions.
fn defined(name: &str) -> Value {
    json!({"$ref": format!("#/definitions/{name}")})
}

/// The same, with a word to whoever fills in the form.
fn described(name: &str, description: &str) -> Value {
    explained(defined(name), description)
}

/// `schema` with a word to whoever fills in the form.
fn explained(schema: Value, description: &str) -> Value {
    with(schema, "description", json!(description))
}

/// `schema` with one member more.
fn with(mut schema: Value, name: &str, value: Value) -> Value {
    if let Value::Object(schema) = &mut schema {
        schema.insert(name.to_owned(), value);
    }
    schema
}

/// Any string.
fn text() -> Value {
    json!({"type": "string"})
}

/// A string out of a few.
fn word(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

/// An integer between two bounds, which are allowed themselves.
fn between(minimum: u32, maximum: u32) -> Value {
    json!({"type": "integer", "minimum": minimum, "maximum": maximum})
}
