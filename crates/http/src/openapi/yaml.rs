//! Rendering of JSON as YAML, one member per line.

use serde_json::Value;

/// Words that YAML 1.1 does not read as strings.
const RESERVED_WORDS: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];

/// Renders an object or a list.
pub(super) fn to_yaml(value: &Value) -> String {
    let mut text = String::new();
    write_block(value, 0, &mut text);
    text
}

/// Writes a value after the `:` or `-` that precedes it.
fn write_value(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            text.push('\n');
            write_block(value, depth + 1, text);
        },
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            write_block(value, depth + 1, text);
        },
        // JSON strings are YAML strings; so are the empty object and the empty list.
        plain => {
            text.push(' ');
            text.push_str(&plain.to_string());
            text.push('\n');
        },
    }
}

fn write_block(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                write_indent(depth, text);
                if is_plain(name) {
                    text.push_str(name);
                } else {
                    text.push_str(&Value::from(name.as_str()).to_string());
                }
                text.push(':');
                write_value(member, depth, text);
            }
        },
        Value::Array(items) => {
            for item in items {
                write_indent(depth, text);
                text.push('-');
                write_value(item, depth, text);
            }
        },
        plain => text.push_str(&plain.to_string()),
    }
}

fn write_indent(depth: usize, text: &mut String) {
    text.extend(std::iter::repeat_n("  ", depth));
}

/// Reports whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        && !RESERVED_WORDS.contains(&name.to_ascii_lowercase().as_str())
        && name != "n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_stand_on_lines() {
        let value = json!({
            "a": {"b": [1, {"c": null}], "on": true},
            "empty": {}, "none": [], "/x/{id}": "say \"a: b\"\n# c", "200": -1,
        });
        let expected = "\
\"/x/{id}\": \"say \\\"a: b\\\"\\n# c\"
\"200\": -1
a:
  b:
    - 1
    -
      c: null
  \"on\": true
empty: {}
none: []
";
        assert_eq!(to_yaml(&value), expected);
    }
}
