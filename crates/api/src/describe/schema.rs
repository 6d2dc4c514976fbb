//! What was found out about a reader, as a JSON Schema.

use super::body::parent;
use super::explorer::{Explorer, Member};
use crate::decode::{Rule, Shape};
use serde_json::{Map, Value, json};

/// The meaning of members by their path.
type Words = [(&'static str, &'static str)];

/// An object of JSON.
type Object = Map<String, Value>;

/// The schema of a body, of which there is one explorer for each kind.
pub(super) fn of(explorers: &[Explorer], words: &Words) -> Value {
    let is_list = explorers.iter().any(Explorer::is_list);
    let kinds = explorers.iter().map(|kind| object(kind, words, "").into());
    let kinds: Vec<Value> = kinds.collect();
    let one = match &kinds[..] {
        [only] => only.clone(),
        several => json!({"oneOf": several}),
    };
    if is_list {
        json!({"type": "array", "items": one})
    } else {
        one
    }
}

/// The schema of an object: the body, or the member at the path `outer`.
fn object(explorer: &Explorer, words: &Words, outer: &str) -> Object {
    let mut properties = Object::new();
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
        let schema = member(explorer, words, found);
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

fn member(explorer: &Explorer, words: &Words, member: &Member) -> Object {
    let asked = &member.asked;
    let mut schema = match asked.shape {
        Some(Shape::Object) => object(explorer, words, &asked.path),
        Some(Shape::Objects) => list(object(explorer, words, &asked.path)),
        Some(other) => plain(other),
        None => Object::new(),
    };
    for rule in &asked.rules {
        apply(rule, &mut schema);
    }
    let place = asked.path.replace(".0.", ".");
    let place = place.strip_prefix("0.").unwrap_or(&place);
    if let Some((_, words)) = words.iter().find(|(path, _)| *path == place) {
        schema.insert("description".to_owned(), (*words).into());
    }
    schema
}

/// The schema of what has no members that are read one by one.
fn plain(shape: Shape) -> Object {
    match shape {
        Shape::Text => typed("string"),
        Shape::Flag => typed("boolean"),
        Shape::Integer => with(typed("integer"), "format", "int64"),
        Shape::Texts | Shape::Objects => list(typed("string")),
        Shape::Object | Shape::Document => typed("object"),
        Shape::Flat => {
            let value = json!({"type": ["string", "number", "boolean", "null"]});
            with(typed("object"), "additionalProperties", value)
        },
        Shape::TextMap => with(typed("object"), "additionalProperties", typed("string")),
        Shape::IntegerMap => {
            let number = json!({"type": "integer", "minimum": 0, "maximum": u16::MAX});
            with(typed("object"), "additionalProperties", number)
        },
        Shape::TextsMap => {
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

fn apply(rule: &Rule, schema: &mut Object) {
    let mut put = |name: &str, value: Value| schema.insert(name.to_owned(), value);
    match rule {
        Rule::Length(length) => {
            if *length.start() > 0 {
                put("minLength", (*length.start()).into());
            }
            if *length.end() < usize::MAX {
                put("maxLength", (*length.end()).into());
            }
        },
        Rule::Secret => {
            put("format", "password".into());
        },
        Rule::OneOf(words) => {
            put("enum", json!(words));
        },
        Rule::Range(least, most) => {
            put("minimum", (*least).into());
            if *most < i64::MAX {
                put("maximum", (*most).into());
            }
        },
        Rule::Format(format) => {
            put("format", (*format).into());
        },
    }
}
