//! Display of values, for the member `value` of errors.

use portcullis_domain::config::JsonObject;
use serde_json::{Number, Value};
use std::fmt::Write as _;

/// Maximum length of a displayed value, in bytes, without the ellipsis.
const MAX_LEN: usize = 256;

const ELLIPSIS: &str = "…";

/// Displays `value` as OpenZiti does: `map[a:1 b:[x y]]`, truncated when long.
pub(super) fn display_value(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    truncate(&mut text);
    text
}

/// As [`display_value`], for an object.
pub(super) fn display_object(members: &JsonObject) -> String {
    let mut text = String::new();
    write_members(members, &mut text);
    truncate(&mut text);
    text
}

/// `text`, truncated when long.
pub(super) fn truncated(text: &str) -> String {
    match text.get(..text.floor_char_boundary(MAX_LEN)) {
        Some(start) if start.len() < text.len() => format!("{start}{ELLIPSIS}"),
        _ => text.to_owned(),
    }
}

/// Writes `value`; stops shortly after the limit, so that large values are as cheap as small ones.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("<nil>"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => write_number(number, text),
        Value::String(value) => text.push_str(&truncated(value)),
        Value::Array(items) => list(text, "[", items.iter(), write),
        Value::Object(members) => write_members(members, text),
    }
}

fn write_members(members: &JsonObject, text: &mut String) {
    list(text, "map[", members.iter(), |(name, value), text| {
        text.push_str(&truncated(name));
        text.push(':');
        write(value, text);
    });
}

fn list<T>(
    text: &mut String,
    open: &str,
    parts: impl Iterator<Item = T>,
    mut each: impl FnMut(T, &mut String),
) {
    text.push_str(open);
    for (place, part) in parts.enumerate() {
        if text.len() > MAX_LEN {
            return;
        }
        if place > 0 {
            text.push(' ');
        }
        each(part, text);
    }
    text.push(']');
}

fn write_number(number: &Number, text: &mut String) {
    // A `String` takes whatever is written to it.
    let _ = write!(text, "{number}");
}

fn truncate(text: &mut String) {
    if text.len() > MAX_LEN {
        text.truncate(text.floor_char_boundary(MAX_LEN));
        text.push_str(ELLIPSIS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_as_in_recorded_errors() {
        for (value, text) in [
            (json!({"port": 80}), "map[port:80]"),
            (
                json!({"type": "object", "properties": 5}),
                "map[properties:5 type:object]",
            ),
            (json!([1, "a", null, [true]]), "[1 a <nil> [true]]"),
            (json!("eighty"), "eighty"),
            (json!([]), "[]"),
            (json!(1.5), "1.5"),
        ] {
            assert_eq!(display_value(&value), text);
        }
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        for value in [
            json!("é".repeat(1_000_000)),
            json!(vec!["x"; 1_000_000]),
            json!({"a": {"é".repeat(1000): 1}}),
        ] {
            let text = display_value(&value);
            assert!(text.len() <= MAX_LEN + ELLIPSIS.len(), "{}", text.len());
            assert!(text.ends_with(ELLIPSIS), "{text}");
        }
        assert_eq!(
            display_value(&json!("x".repeat(MAX_LEN))),
            "x".repeat(MAX_LEN)
        );
    }
}
