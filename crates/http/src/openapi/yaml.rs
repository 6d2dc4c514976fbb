//! JSON as YAML that people read: one member on a line.

use serde_json::Value;

/// Words that mean something else than their letters where YAML is read by its older rules.
const WORDS: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];

/// The text of a value that is an object or a list.
pub(super) fn text(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

/// Writes a value behind the `:` or `-` of its place.
fn behind(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            text.push('\n');
            block(value, depth + 1, text);
        },
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            block(value, depth + 1, text);
        },
        // Texts of JSON are texts of YAML, and so are the empty object and the empty list.
        plain => {
            text.push(' ');
            text.push_str(&plain.to_string());
            text.push('\n');
        },
    }
}

fn block(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                indent(depth, text);
                if is_plain(name) {
                    text.push_str(name);
                } else {
                    text.push_str(&Value::from(name.as_str()).to_string());
                }
                text.push(':');
                behind(member, depth, text);
            }
        },
        Value::Array(items) => {
            for item in items {
                indent(depth, text);
                text.push('-');
                behind(item, depth, text);
            }
        },
        plain => text.push_str(&plain.to_string()),
    }
}

fn indent(depth: usize, text: &mut String) {
    text.extend(std::iter::repeat_n("  ", depth));
}

/// Whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        && !WORDS.contains(&name.to_ascii_lowercase().as_str())
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
        assert_eq!(text(&value), expected);
    }
}
