//! Schemas of types of Rust, made into what people and programs of any language read.

use super::schemas::PLACE;
use super::words::capitalised;
use serde_json::{Map, Value};

/// The name under which a schema stands: an envelope of several is not called an array, and names of
/// types of Rust begin like all others.
pub(super) fn called(name: &str) -> String {
    let of_several = name
        .strip_prefix("Array_of_")
        .and_then(|name| name.strip_suffix("Envelope"))
        .map(|item| format!("{item}sEnvelope"));
    let name = of_several.unwrap_or_else(|| name.to_owned());
    capitalised(&name)
}

/// Has a reference lead to the name under which its schema stands.
pub(super) fn rename(schema: &mut Value) {
    if let Some(Value::String(reference)) = schema.get_mut("$ref")
        && let Some(name) = reference.strip_prefix(PLACE)
    {
        *reference = format!("{PLACE}{}", called(name));
    }
}

/// Takes out of a schema what is meant for programmers, and what serialisation does not do.
pub(super) fn tidy(schema: &mut Value) {
    rename(schema);
    match schema {
        Value::Object(members) => {
            members.remove("default");
            if let Some(Value::String(words)) = members.get_mut("description") {
                *words = readable(words);
            }
            left_out_if_none(members);
            for (name, member) in members {
                match member {
                    // Names of members are nobody's keywords.
                    Value::Object(named) if name == "properties" => {
                        named.values_mut().for_each(tidy);
                    },
                    member => tidy(member),
                }
            }
        },
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {},
    }
}

/// Members that may be missing are left out rather than `null`.
fn left_out_if_none(schema: &mut Map<String, Value>) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let is_required = |name: &String| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|required| required == name)
    };
    for (_, member) in members.iter_mut().filter(|(name, _)| !is_required(name)) {
        never_null(member);
    }
}

fn never_null(schema: &mut Value) {
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

/// A doc comment without examples and links to code.
fn readable(words: &str) -> String {
    let words = words.split("\n# ").next().unwrap_or_default().trim_end();
    let mut text = String::with_capacity(words.len());
    let mut rest = words;
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
        tidy(&mut schema);
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
        assert_eq!(readable(words), "A `Page` of `Rows`.");
        assert_eq!(readable("A [`page"), "A [`page");
    }
}
