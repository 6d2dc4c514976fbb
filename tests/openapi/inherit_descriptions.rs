//! Descriptions of request members, inherited from the response members of the same name.

use crate::schemas::REF_PREFIX;
use serde_json::{Map, Value};

/// Resolves a reference; returns any other schema as it is.
fn resolve<'s>(schema: &'s Value, schemas: &'s Map<String, Value>) -> &'s Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix(REF_PREFIX));
    name.and_then(|name| schemas.get(name)).unwrap_or(schema)
}

/// Returns the schema of an envelope's `data`.
pub(crate) fn envelope_data<'s>(
    envelope: &'s Value,
    schemas: &'s Map<String, Value>,
) -> Option<&'s Value> {
    resolve(envelope, schemas)
        .pointer("/properties/data")
        .map(|data| resolve(data, schemas))
}

/// Copies descriptions of members to members of the same name that have none.
pub(crate) fn inherit_descriptions(schema: &mut Value, from: &Value, schemas: &Map<String, Value>) {
    if let Some(variants) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        for variant in variants {
            inherit_descriptions(variant, from, schemas);
        }
    }
    if let Some(items) = schema.get_mut("items").filter(|items| items.is_object()) {
        inherit_descriptions(
            items,
            from.get("items")
                .map_or(from, |items| resolve(items, schemas)),
            schemas,
        );
    }
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, member) in members {
        let Some(source) = find_member(from, name, schemas) else {
            continue;
        };
        let description = source.get("description").filter(|words| words.is_string());
        if let (Some(description), Value::Object(member)) = (description, &mut *member) {
            member
                .entry("description")
                .or_insert_with(|| description.clone());
        }
        inherit_descriptions(member, resolve(source, schemas), schemas);
    }
}

/// Finds a member by name, in a schema or in one that it is composed of.
fn find_member<'s>(
    schema: &'s Value,
    name: &str,
    schemas: &'s Map<String, Value>,
) -> Option<&'s Value> {
    if let Some(member) = schema
        .get("properties")
        .and_then(|members| members.get(name))
    {
        return Some(member);
    }
    ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter_map(|kind| schema[kind].as_array())
        .flatten()
        .find_map(|part| find_member(resolve(part, schemas), name, schemas))
}
