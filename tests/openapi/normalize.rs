//! Normalization of schemas generated from Rust types.

use crate::descriptions::capitalized;
use crate::schemas::REF_PREFIX;
use serde_json::{Map, Value};

/// Returns the name of a schema: an envelope of a list is not called an array, and all names are
/// capitalized.
pub(crate) fn schema_name(name: &str) -> String {
    let list_envelope = name
        .strip_prefix("Array_of_")
        .and_then(|name| name.strip_suffix("Envelope"))
        .map(|item| format!("{item}sEnvelope"));
    let name = list_envelope.unwrap_or_else(|| name.to_owned());
    capitalized(&name)
}

/// Adjusts a reference to the name of its schema.
pub(crate) fn rename_reference(schema: &mut Value) {
    if let Some(Value::String(reference)) = schema.get_mut("$ref")
        && let Some(name) = reference.strip_prefix(REF_PREFIX)
    {
        *reference = format!("{REF_PREFIX}{}", schema_name(name));
    }
}

/// Removes from a schema what only concerns Rust programmers, and what serialization never
/// produces.
pub(crate) fn normalize(schema: &mut Value) {
    rename_reference(schema);
    match schema {
        Value::Object(members) => {
            members.remove("default");
            if let Some(Value::String(description)) = members.get_mut("description") {
                *description = strip_markup(description);
            }
            disallow_null_members(members);
            for (name, member) in members {
                match member {
                    // Names of members are not keywords.
                    Value::Object(named) if name == "properties" => {
                        named.values_mut().for_each(normalize);
                    },
                    member => normalize(member),
                }
            }
        },
        Value::Array(items) => items.iter_mut().for_each(normalize),
        _ => {},
    }
}

/// Optional members are omitted rather than `null`, so `null` is removed from their types.
fn disallow_null_members(schema: &mut Map<String, Value>) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let is_required = |name: &String| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|required| required == name)
    };
    for (_, member) in members.iter_mut().filter(|(name, _)| !is_required(name)) {
        remove_null(member);
    }
}

fn remove_null(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    let Some(Value::Array(parts)) = schema.get_mut("anyOf") else {
        return;
    };
    parts.retain(|part| part.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = &parts[..] {
        let only = only.clone();
        schema.remove("anyOf");
        for (name, value) in only {
            schema.entry(name).or_insert(value);
        }
    }
}

/// Strips examples and links to code from a doc comment.
fn strip_markup(doc: &str) -> String {
    let doc = doc.split("\n# ").next().unwrap_or_default().trim_end();
    let mut text = String::with_capacity(doc.len());
    let mut rest = doc;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, behind)) = after.split_once("`]") else {
            break;
        };
        text.push_str(before);
        text.push('`');
        text.push_str(name);
        text.push('`');
        rest = match behind
            .strip_prefix('(')
            .and_then(|link| link.split_once(')'))
        {
            Some((_target, behind)) => behind,
            None => behind,
        };
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_may_be_missing_is_left_out_rather_than_null() {
        let mut schema = json!({
            "properties": {
                "text": {"type": ["string", "null"], "default": null},
                "entity": {
                    "description": "It.",
                    "anyOf": [{"$ref": "#/components/schemas/x"}, {"type": "null"}],
                },
                "always": {"type": ["string", "null"]},
                "default": {"type": "integer"},
            },
            "required": ["always"],
        });
        normalize(&mut schema);
        let expected = json!({
            "properties": {
                "text": {"type": "string"},
                "entity": {"description": "It.", "$ref": "#/components/schemas/X"},
                "always": {"type": ["string", "null"]},
                "default": {"type": "integer"},
            },
            "required": ["always"],
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn words_are_for_people() {
        let words = "A [`Page`](crate::Page) of [`Rows`].\n\n# Examples\n\n```\ncode\n```";
        assert_eq!(strip_markup(words), "A `Page` of `Rows`.");
        assert_eq!(strip_markup("A [`page"), "A [`page");
    }
}
