//! JSON Schema of a probed decoder.

use super::body::parent;
use super::probe::{Member, Probe};
use portcullis_api::decode::{Constraint, JsonType};
use portcullis_api::describe::RequestDecoder;
use serde_json::{Map, Value, json};

/// Descriptions of members by path.
type Descriptions = [(&'static str, &'static str)];

/// A JSON object.
type Object = Map<String, Value>;

/// The schema of a body, given one probe for each of its variants.
pub(super) fn build(probes: &[Probe], decoder: &RequestDecoder) -> Value {
    let kinds = probes
        .iter()
        .map(|kind| object(kind, decoder.descriptions, "").into());
    let kinds: Vec<Value> = kinds.collect();
    let one = match &kinds[..] {
        [only] => only.clone(),
        several => json!({"oneOf": several}),
    };
    if decoder.is_list {
        json!({"type": "array", "items": one})
    } else {
        one
    }
}

/// The schema of an object: the body, or the member at the path `outer`.
fn object(probe: &Probe, descriptions: &Descriptions, outer: &str) -> Object {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for found in probe.members() {
        let path = &*found.access.path;
        if parent(path) != outer {
            continue;
        }
        let name = path.rsplit('.').next().unwrap_or(path);
        if found.is_required {
            required.push(name.to_owned());
        }
        let schema = member(probe, descriptions, found);
        properties.insert(name.to_owned(), schema.into());
    }
    let mut schema = typed("object");
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        required.sort_unstable();
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

fn member(probe: &Probe, descriptions: &Descriptions, member: &Member) -> Object {
    let access = &member.access;
    let mut schema = match access.json_type {
        Some(JsonType::Object) => object(probe, descriptions, &access.path),
        Some(JsonType::ObjectList) => list(object(probe, descriptions, &access.path)),
        Some(other) => scalar(other),
        None => Object::new(),
    };
    for rule in &access.constraints {
        apply_constraint(rule, &mut schema);
    }
    let place = access.path.replace(".0.", ".");
    let place = place.strip_prefix("0.").unwrap_or(&place);
    if let Some((_, words)) = descriptions.iter().find(|(path, _)| *path == place) {
        schema.insert("description".to_owned(), (*words).into());
    }
    schema
}

/// The schema of a type without described members.
fn scalar(shape: JsonType) -> Object {
    match shape {
        JsonType::String => typed("string"),
        JsonType::Boolean => typed("boolean"),
        JsonType::Integer => with(typed("integer"), "format", "int64"),
        JsonType::StringList | JsonType::ObjectList => list(typed("string")),
        JsonType::Object | JsonType::Document => typed("object"),
        JsonType::FlatObject => {
            let value = json!({"type": ["string", "number", "boolean", "null"]});
            with(typed("object"), "additionalProperties", value)
        },
        JsonType::StringMap => with(typed("object"), "additionalProperties", typed("string")),
        JsonType::IntegerMap => {
            let number = json!({"type": "integer", "minimum": 0, "maximum": u16::MAX});
            with(typed("object"), "additionalProperties", number)
        },
        JsonType::StringListMap => {
            let texts = json!({"type": ["array", "null"], "items": {"type": "string"}});
            with(typed("object"), "additionalProperties", texts)
        },
    }
}

fn typed(name: &str) -> Object {
    with(Object::new(), "type", name)
}

fn list(items: Object) -> Object {
    with(typed("array"), "items", items)
}

fn with(mut schema: Object, name: &str, value: impl Into<Value>) -> Object {
    schema.insert(name.to_owned(), value.into());
    schema
}

fn apply_constraint(rule: &Constraint, schema: &mut Object) {
    let mut put = |name: &str, value: Value| schema.insert(name.to_owned(), value);
    match rule {
        Constraint::Length(length) => {
            if *length.start() > 0 {
                put("minLength", (*length.start()).into());
            }
            if *length.end() < usize::MAX {
                put("maxLength", (*length.end()).into());
            }
        },
        Constraint::Secret => {
            put("format", "password".into());
        },
        Constraint::OneOf(words) => {
            put("enum", json!(words));
        },
        Constraint::Range(least, most) => {
            put("minimum", (*least).into());
            if *most < i64::MAX {
                put("maximum", (*most).into());
            }
        },
        Constraint::Format(format) => {
            put("format", (*format).into());
        },
    }
}
