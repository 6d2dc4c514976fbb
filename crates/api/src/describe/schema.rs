//! What was found out about a reader, as a JSON Schema.

use super::body::parent;
use super::explorer::{Explorer, Member};
use crate::decode::{Rule, Shape};
use serde_json::{Map, Value, json};

/// The meaning of members by their path.
type Words = [(&'static str, &'static str)];

/// The schema of a body.
pub(super) fn of(explorer: &Explorer, words: &Words) -> Value {
    let object = object(explorer, words, "");
    if explorer.is_list() {
        json!({"type": "array", "items": object})
    } else {
        object
    }
}

/// The schema of an object: the body, or the member at the path `outer`.
fn object(explorer: &Explorer, words: &Words, outer: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for found in explorer.members() {
        let path = &*found.asked.path;
        if parent(path) != outer {
            continue;
        }
        let name = path.rsplit('.').next().unwrap_or(path);
        if found.is_required {
            required.push(name.to_owned());
        }
        properties.insert(name.to_owned(), member(explorer, words, found));
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        required.sort_unstable();
        schema["required"] = json!(required);
    }
    schema
}

fn member(explorer: &Explorer, words: &Words, member: &Member) -> Value {
    let asked = &member.asked;
    let mut schema = match asked.shape {
        Shape::Text => json!({"type": "string"}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Integer => json!({"type": "integer", "format": "int64"}),
        Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Shape::Object => object(explorer, words, &asked.path),
        Shape::Objects => {
            json!({"type": "array", "items": object(explorer, words, &asked.path)})
        },
        Shape::Document => json!({"type": "object"}),
        Shape::Flat => {
            let value = json!({"type": ["string", "number", "boolean", "null"]});
            json!({"type": "object", "additionalProperties": value})
        },
        Shape::TextMap => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Shape::IntegerMap => {
            let number = json!({"type": "integer", "minimum": 0, "maximum": u16::MAX});
            json!({"type": "object", "additionalProperties": number})
        },
        Shape::TextsMap => {
            let texts = json!({"type": ["array", "null"], "items": {"type": "string"}});
            json!({"type": "object", "additionalProperties": texts})
        },
    };
    for rule in &asked.rules {
        apply(rule, &mut schema);
    }
    let place = asked.path.replace(".0.", ".");
    let place = place.strip_prefix("0.").unwrap_or(&place);
    if let Some((_, words)) = words.iter().find(|(path, _)| *path == place) {
        schema["description"] = (*words).into();
    }
    schema
}

fn apply(rule: &Rule, schema: &mut Value) {
    match rule {
        Rule::Length(length) | Rule::Secret(length) => {
            let known = schema["minLength"].as_u64().unwrap_or_default();
            let least = known.max(u64::try_from(*length.start()).unwrap_or(u64::MAX));
            if least > 0 {
                schema["minLength"] = least.into();
            } else if let Some(schema) = schema.as_object_mut() {
                schema.remove("minLength");
            }
            if *length.end() < usize::MAX {
                schema["maxLength"] = (*length.end()).into();
            }
            if matches!(rule, Rule::Secret(_)) {
                schema["format"] = "password".into();
            }
        },
        Rule::OneOf(words) => schema["enum"] = json!(words),
        Rule::Range(least, most) => {
            schema["minimum"] = (*least).into();
            if *most < i64::MAX {
                schema["maximum"] = (*most).into();
            }
        },
        Rule::Format(format) => schema["format"] = (*format).into(),
    }
}
