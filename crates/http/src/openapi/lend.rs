//! Words that schemas of requests borrow from those of answers.

use super::schemas::PLACE;
use serde_json::{Map, Value};

/// What a reference leads to, or the schema itself.
fn resolve<'s>(schema: &'s Value, all: &'s Map<String, Value>) -> &'s Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix(PLACE));
    name.and_then(|name| all.get(name)).unwrap_or(schema)
}

/// The schema of what an envelope holds.
pub(super) fn follow<'s>(envelope: &'s Value, all: &'s Map<String, Value>) -> Option<&'s Value> {
    resolve(envelope, all)
        .pointer("/properties/data")
        .map(|data| resolve(data, all))
}

/// Lends the words of a schema's members to members of the same name that have none.
pub(super) fn lend(schema: &mut Value, from: &Value, all: &Map<String, Value>) {
    if let Some(kinds) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        for kind in kinds {
            lend(kind, from, all);
        }
    }
    if let Some(items) = schema.get_mut("items").filter(|items| items.is_object()) {
        lend(
            items,
            from.get("items").map_or(from, |items| resolve(items, all)),
            all,
        );
    }
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, member) in members {
        let Some(lender) = find(from, name, all) else {
            continue;
        };
        let words = lender.get("description").filter(|words| words.is_string());
        if let (Some(words), Value::Object(member)) = (words, &mut *member) {
            member.entry("description").or_insert_with(|| words.clone());
        }
        lend(member, resolve(lender, all), all);
    }
}

/// The member of that name, in a schema or in one of those that it is made of.
fn find<'s>(schema: &'s Value, name: &str, all: &'s Map<String, Value>) -> Option<&'s Value> {
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
        .find_map(|part| find(resolve(part, all), name, all))
}
