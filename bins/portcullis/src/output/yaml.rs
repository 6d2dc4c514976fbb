//! YAML that YAML 1.1 and 1.2 parsers read alike.
//!
//! YAML 1.1 parsers read `yes` as a boolean, `12:30:00` as a number and `2031-04-05` as a date;
//! YAML 1.2 parsers do not. Strings are quoted unless they are unambiguous.

use portcullis_domain::terminal::is_terminal_control;
use serde_yaml::{Mapping, Number, Value};
use std::fmt::Write as _;

/// Longest simple key; parsers give up on longer ones at about 1000 characters.
const MAX_SIMPLE_KEY_LENGTH: usize = 128;

/// Renders a document whose keys are all strings.
pub(super) fn write(document: &Value) -> String {
    let mut text = String::new();
    push_node(&mut text, document, 0);
    text
}

/// Renders a value at the indentation `indent`.
fn push_node(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Mapping(map) if !map.is_empty() => push_map(text, map, indent),
        Value::Sequence(list) if !list.is_empty() => push_list(text, list, indent),
        other => {
            push_scalar(text, other, indent);
            text.push('\n');
        },
    }
}

fn push_map(text: &mut String, map: &Mapping, indent: usize) {
    for (place, (key, value)) in map.iter().enumerate() {
        if place > 0 {
            push_spaces(text, indent);
        }
        let mut name = String::new();
        push_key(&mut name, key);
        if name.len() > MAX_SIMPLE_KEY_LENGTH {
            text.push_str("? ");
            text.push_str(&name);
            text.push('\n');
            push_spaces(text, indent);
            text.push_str(": ");
            push_node(text, value, indent + 2);
            continue;
        }
        text.push_str(&name);
        text.push(':');
        let next = match value {
            Value::Mapping(map) if !map.is_empty() => indent + 2,
            Value::Sequence(list) if !list.is_empty() => indent,
            scalar => {
                text.push(' ');
                push_node(text, scalar, indent);
                continue;
            },
        };
        text.push('\n');
        push_spaces(text, next);
        push_node(text, value, next);
    }
}

fn push_list(text: &mut String, list: &[Value], indent: usize) {
    for (place, value) in list.iter().enumerate() {
        if place > 0 {
            push_spaces(text, indent);
        }
        text.push_str("- ");
        push_node(text, value, indent + 2);
    }
}

fn push_spaces(text: &mut String, number: usize) {
    text.extend(std::iter::repeat_n(' ', number));
}

fn push_key(text: &mut String, key: &Value) {
    match key {
        Value::String(words) => push_string(text, words),
        other => push_scalar(text, other, 0),
    }
}

fn push_scalar(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&format_number(number)),
        Value::String(words) if is_multiline(words) => push_block(text, words, indent),
        Value::String(words) => push_string(text, words),
        Value::Sequence(_) => text.push_str("[]"),
        Value::Mapping(_) => text.push_str("{}"),
        Value::Tagged(tagged) => push_scalar(text, &tagged.value, indent),
    }
}

/// Formats a number. YAML 1.1 needs a point and a sign with an exponent.
fn format_number(number: &Number) -> String {
    let float = match number.as_f64() {
        Some(float) if number.is_f64() => float,
        _ => return number.to_string(),
    };
    let plain = format!("{float:?}");
    let Some((mantissa, exponent)) = plain.split_once('e') else {
        return plain;
    };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

/// Renders a string on one line, quoted if necessary.
fn push_string(text: &mut String, words: &str) {
    if is_plain(words) {
        text.push_str(words);
        return;
    }
    text.push('"');
    for character in words.chars() {
        push_escaped(text, character);
    }
    text.push('"');
}

fn push_escaped(text: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = match character {
        '"' | '\\' => write!(text, "\\{character}"),
        '\n' => write!(text, "\\n"),
        '\t' => write!(text, "\\t"),
        printed if is_printable(printed) => write!(text, "{printed}"),
        other if u32::from(other) <= 0xff => write!(text, "\\x{:02X}", u32::from(other)),
        other if u32::from(other) <= 0xffff => write!(text, "\\u{:04X}", u32::from(other)),
        other => write!(text, "\\U{:08X}", u32::from(other)),
    };
}

/// Whether a character is allowed in YAML and visible.
fn is_printable(character: char) -> bool {
    let is_special = matches!(
        character,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    );
    !is_special && !is_terminal_control(character)
}

/// Whether a string is safe without quotes: it starts with a letter or `_`, and is neither special
/// nor a reserved word.
fn is_plain(words: &str) -> bool {
    let is_reserved = [
        "y", "yes", "on", "true", "n", "no", "off", "false", "null", "nan", "inf",
    ]
    .iter()
    .any(|word| words.eq_ignore_ascii_case(word));
    let is_safe =
        |character: char| character.is_ascii_alphanumeric() || "_-./@+(), ".contains(character);
    !is_reserved
        && words.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && words.chars().all(is_safe)
        && !words.ends_with(' ')
}

/// Whether a string is rendered as a block, like PEM certificates.
fn is_multiline(words: &str) -> bool {
    let lines = words.strip_suffix('\n').unwrap_or(words);
    lines.contains('\n')
        && !lines.starts_with([' ', '\n'])
        && !lines.ends_with('\n')
        && words
            .chars()
            .all(|character| character == '\n' || is_printable(character))
}

fn push_block(text: &mut String, words: &str, indent: usize) {
    let lines = words.strip_suffix('\n');
    text.push_str(if lines.is_some() { "|" } else { "|-" });
    for line in lines.unwrap_or(words).split('\n') {
        text.push('\n');
        if !line.is_empty() {
            push_spaces(text, indent + 2);
            text.push_str(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_yaml::{Limits, Node, SourceId, parse};
    use proptest::prelude::*;
    use serde_json::{Map, json};

    /// Writes a document, and reads it as YAML 1.1 and as YAML 1.2.
    fn check(document: &serde_json::Value) -> String {
        let text = write(&serde_yaml::to_value(document).unwrap());
        let read: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(&read, document, "{text}");
        let old = parse(&text, SourceId::default(), &Limits::default())
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(&plain(&old.root), document, "{text}");
        text
    }

    /// What a reader of YAML 1.1 reads.
    fn plain(node: &Node) -> serde_json::Value {
        use portcullis_yaml::Value as Old;
        match &node.value {
            Old::Null => json!(null),
            Old::Bool(value) => json!(value),
            Old::Integer(_) | Old::Float(_) => {
                serde_json::from_str(&node.text().unwrap().replace("e+", "e")).unwrap()
            },
            Old::String(value) => json!(value),
            Old::List(list) => list.iter().map(plain).collect(),
            Old::Map(map) => {
                let mut members = Map::new();
                for entry in map {
                    let key = entry.key.text().unwrap().to_owned();
                    assert!(matches!(entry.key.value, Old::String(_)), "{key}");
                    members.insert(key, plain(&entry.value));
                }
                members.into()
            },
        }
    }

    #[test]
    fn texts_that_look_like_something_else_are_quoted() {
        for text in [
            "yes",
            "No",
            "ON",
            "off",
            "y",
            "N",
            "true",
            "False",
            "null",
            "~",
            "",
            "1",
            "-1",
            "0x1f",
            "017",
            "1_000",
            "1e3",
            "1.0e+3",
            ".5",
            ".inf",
            "-.INF",
            ".NaN",
            "12:30:00",
            "1:30",
            "2031-04-05",
            "2031-04-05T06:07:08Z",
            "2031-4-5 6:07:08",
            "=",
            "<<",
            "- a",
            "a: b",
            "a #b",
            "#a",
            "&a",
            "*a",
            "!a",
            "?",
            "-",
            "---",
            "...",
            "{}",
            "[]",
            "'a",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
            "a ",
            " a",
            "a:",
            "\"",
        ] {
            let written = check(&json!({ text: text }));
            assert!(written.starts_with('"'), "{written}");
            assert!(written.ends_with("\"\n"), "{written}");
        }
        for text in [
            "laptop",
            "v2.1.0",
            "two words",
            "yesterday",
            "eyJ.a-b_c",
            "_links",
        ] {
            assert_eq!(check(&json!({ text: text })), format!("{text}: {text}\n"));
        }
    }

    #[test]
    fn documents_are_indented() {
        let document = json!({
            "a": {"b": [], "c": {}, "d": [1, -2, [3, {"e": null}], {"f": "g", "h": [true]}]},
            "text": "-----BEGIN\n  x\n\nEND-----\n",
            "z": [["line\nline"], "\ttab\nline", " a\nb", "a\n\n", "\n", "a\n"],
        });
        let expected = "\
a:
  b: []
  c: {}
  d:
  - 1
  - -2
  - - 3
    - e: null
  - f: g
    h:
    - true
text: |
  -----BEGIN
    x

  END-----
z:
- - |-
      line
      line
- \"\\ttab\\nline\"
- \" a\\nb\"
- \"a\\n\\n\"
- \"\\n\"
- \"a\\n\"
";
        assert_eq!(check(&document), expected);
    }

    #[test]
    fn numbers_stay_numbers() {
        for (number, written) in [
            (json!(u64::MAX), "18446744073709551615\n"),
            (json!(i64::MIN), "-9223372036854775808\n"),
            (json!(1.5), "1.5\n"),
            (json!(1e300), "1.0e+300\n"),
            (json!(1.5e-9), "1.5e-9\n"),
        ] {
            let text = write(&serde_yaml::to_value(&number).unwrap());
            assert_eq!(text, written);
            let read: serde_json::Value = serde_yaml::from_str(&text).unwrap();
            assert_eq!(read, number);
        }
    }

    #[test]
    fn long_keys_are_marked() {
        let key = "x".repeat(2000);
        let text = check(&json!({"a": {key: {"b": [1]}}}));
        assert!(text.starts_with("a:\n  ? xxx"), "{text}");
    }

    proptest! {
        #[test]
        fn every_text_is_read_back(key in any::<String>(), text in any::<String>()) {
            check(&json!({"a": [{ key: text }]}));
        }

        #[test]
        fn every_line_is_read_back(text in "[a-c \n\t:#\"'|>-]{0,20}") {
            check(&json!({"a": [[text.clone()], {"b": text.clone()}, text]}));
        }
    }
}
