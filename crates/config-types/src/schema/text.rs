//! Values as text, for the member `value` of errors.

use portcullis_domain::config::Object;
use serde_json::{Number, Value};
use std::fmt::Write as _;

/// Longest text of a value, in bytes, apart from the sign that it was cut.
const LONGEST: usize = 256;

/// Stands where a text was cut.
const CUT: &str = "…";

/// `value` in the form that clients know from OpenZiti: `map[a:1 b:[x y]]`, cut when long.
pub(super) fn of(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    cut(&mut text);
    text
}

/// The same for an object.
pub(super) fn of_members(members: &Object) -> String {
    let mut text = String::new();
    write_members(members, &mut text);
    cut(&mut text);
    text
}

/// `text`, cut when long.
pub(super) fn shortened(text: &str) -> String {
    match text.get(..text.floor_char_boundary(LONGEST)) {
        Some(start) if start.len() < text.len() => format!("{start}{CUT}"),
        _ => text.to_owned(),
    }
}

/// Writes `value`; stops some way behind the limit, so that a large value costs no more than a
/// small one.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("<nil>"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => write_number(number, text),
        Value::String(value) => text.push_str(&shortened(value)),
        Value::Array(items) => list(text, "[", items.iter(), write),
        Value::Object(members) => write_members(members, text),
    }
}

fn write_members(members: &Object, text: &mut String) {
    list(text, "map[", members.iter(), |(name, value), text| {
        text.push_str(&shortened(name));
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
        if text.len() > LONGEST {
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

fn cut(text: &mut String) {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push_str(CUT);
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
            assert_eq!(of(&value), text);
        }
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        for value in [
            json!("é".repeat(1_000_000)),
            json!(vec!["x"; 1_000_000]),
            json!({"a": {"é".repeat(1000): 1}}),
        ] {
            let text = of(&value);
            assert!(text.len() <= LONGEST + CUT.len(), "{}", text.len());
            assert!(text.ends_with(CUT), "{text}");
        }
        assert_eq!(of(&json!("x".repeat(LONGEST))), "x".repeat(LONGEST));
    }
}
