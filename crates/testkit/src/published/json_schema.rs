//! Conversion of Swagger 2.0 schemas to JSON Schema.

use super::document::{reference, referenced_name};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Converts definitions.
///
/// Empty lists and maps are sent as `null`, which the descriptions do not mention and clients
/// expect. A definition with a discriminator gets a second one beside it, named by [`union_name`],
/// which validates a value by its discriminator; others refer to that one.
pub(super) fn to_json_schema(definitions: &Map<String, Value>) -> Map<String, Value> {
    let kinds = find_subtypes(definitions);
    let mut result = Map::new();
    for (name, definition) in definitions {
        // Subtypes extend the bare definition.
        let is_kind = definition.get("x-class").is_some();
        let schema = convert(definition, &|base| !is_kind && kinds.contains_key(base));
        result.insert(name.clone(), schema);
    }
    for (base, kinds) in kinds {
        let discriminator = definitions[base]["discriminator"].as_str().unwrap();
        result.insert(union_name(base), union_schema(base, discriminator, &kinds));
    }
    result
}

/// Name of the definition that validates a value by its discriminator.
fn union_name(name: &str) -> String {
    format!("{name}.any")
}

/// Definitions with a discriminator, each with its subtypes and their discriminator values.
fn find_subtypes(definitions: &Map<String, Value>) -> BTreeMap<&str, Vec<(&str, &str)>> {
    let bases = definitions
        .iter()
        .filter(|(_, definition)| definition.get("discriminator").is_some());
    let mut result: BTreeMap<_, _> = bases.map(|(name, _)| (name.as_str(), Vec::new())).collect();
    for (name, definition) in definitions {
        let base = definition.pointer("/allOf/0").and_then(referenced_name);
        let class = definition.get("x-class").and_then(Value::as_str);
        if let (Some(base), Some(class)) = (base, class)
            && let Some(kinds) = result.get_mut(base)
        {
            kinds.push((class, name.as_str()));
        }
    }
    result
}

fn union_schema(base: &str, discriminator: &str, kinds: &[(&str, &str)]) -> Value {
    let itself = json!({"$ref": reference(base)});
    let each = kinds.iter().map(|(class, name)| {
        json!({
            "if": {"required": [discriminator], "properties": {discriminator: {"const": class}}},
            "then": {"$ref": reference(name)},
        })
    });
    json!({"allOf": std::iter::once(itself).chain(each).collect::<Vec<_>>()})
}

/// Converts a schema and its parts; `is_base` tells which definitions have a discriminator.
fn convert(original: &Value, is_base: &dyn Fn(&str) -> bool) -> Value {
    if let Some(base) = referenced_name(original).filter(|name| is_base(name)) {
        return json!({"$ref": reference(&union_name(base))});
    }
    match original {
        Value::Array(parts) => parts.iter().map(|part| convert(part, is_base)).collect(),
        Value::Object(members) => {
            let kept = members
                .iter()
                .filter(|(name, value)| !is_annotation(name) || is_schema(value));
            let mut result: Map<_, _> = kept
                .map(|(name, part)| (name.clone(), convert(part, is_base)))
                .collect();
            allow_relative(&mut result);
            allow_null(&mut result);
            Value::Object(result)
        },
        // Lengths are written as fractions.
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "it has no fraction")]
            Some(float) if number.is_f64() && float.fract() == 0.0 => json!(float as i64),
            _ => original.clone(),
        },
        other => other.clone(),
    }
}

/// Whether a keyword is an annotation, or has another meaning in JSON Schema.
fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "example" | "default" | "discriminator" | "description"
    )
}

/// Whether a value is a schema rather than an annotation: property names are arbitrary.
fn is_schema(value: &Value) -> bool {
    value.get("type").is_some() || value.get("$ref").is_some()
}

/// Links are relative to the API.
fn allow_relative(schema: &mut Map<String, Value>) {
    if schema.get("format") == Some(&json!("uri")) {
        schema.insert("format".to_owned(), json!("uri-reference"));
    }
}

fn allow_null(schema: &mut Map<String, Value>) {
    let is_nullable = schema.get("x-nullable").and_then(Value::as_bool);
    let kind = match schema.get("type").and_then(Value::as_str) {
        Some(kind) if is_nullable == Some(true) || matches!(kind, "array" | "object") => {
            kind.to_owned()
        },
        _ => return,
    };
    schema.insert("type".to_owned(), json!([kind, "null"]));
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}
