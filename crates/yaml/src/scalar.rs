//! Types of scalars: those that `yaml.v2` for Go gives to plain text (YAML 1.1, without base-60
//! numbers).

use crate::node::Value;

/// Prefix of the tags that `!!` abbreviates.
const STANDARD_TAG: &str = "tag:yaml.org,2002:";

/// An explicit tag, in its short form, that does not match the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TagMismatch(pub(crate) String);

/// Determines the type of `text`. `is_plain` says that neither quotes nor a tag prevent that.
pub(crate) fn resolve(
    tag: Option<&str>,
    text: String,
    is_plain: bool,
) -> Result<Value, TagMismatch> {
    let Some(tag) = tag.filter(|tag| !tag.is_empty()) else {
        return Ok(if is_plain {
            resolve_plain(text)
        } else {
            Value::String(text)
        });
    };
    let Some(name) = tag.strip_prefix(STANDARD_TAG) else {
        return Ok(Value::String(text));
    };
    let mismatch = || TagMismatch(format!("!!{name}"));
    match name {
        "binary" => decode_binary(&text).map(Value::String).ok_or_else(mismatch),
        "int" | "float" | "bool" | "null" | "timestamp" => match (name, resolve_plain(text)) {
            ("int", value @ Value::Integer(_))
            | ("float", value @ Value::Float(_))
            | ("bool", value @ Value::Bool(_))
            | ("null", value @ Value::Null) => Ok(value),
            // Dates are text, so the tag asks for nothing else.
            ("timestamp", Value::String(text)) => Ok(Value::String(text)),
            #[expect(
                clippy::cast_precision_loss,
                reason = "`!!float` asks for the nearest float"
            )]
            ("float", Value::Integer(value)) => Ok(Value::Float(value as f64)),
            _ => Err(mismatch()),
        },
        _ => Ok(Value::String(text)),
    }
}

fn resolve_plain(text: String) -> Value {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" => {
            return Value::Bool(true);
        },
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => {
            return Value::Bool(false);
        },
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Value::Float(f64::INFINITY);
        },
        "-.inf" | "-.Inf" | "-.INF" => return Value::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Value::Float(f64::NAN),
        _ => {},
    }
    match text.bytes().next() {
        Some(b'0'..=b'9' | b'+' | b'-') => {
            // Underscores group digits and are removed anywhere.
            let digits = text.replace('_', "");
            parse_integer(&digits)
                .map(Value::Integer)
                .or_else(|| parse_float(&digits).map(Value::Float))
                .unwrap_or(Value::String(text))
        },
        Some(b'.') => parse_float(&text).map_or(Value::String(text), Value::Float),
        _ => Value::String(text),
    }
}

fn parse_integer(digits: &str) -> Option<i128> {
    let (negative, magnitude) = match digits.as_bytes().first()? {
        b'-' => (true, digits.get(1..)?),
        b'+' => (false, digits.get(1..)?),
        _ => (false, digits),
    };
    let (radix, magnitude) = split_radix(magnitude);
    // The standard parser would accept a second sign.
    if !magnitude.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let value = i128::from_str_radix(magnitude, radix).ok()?;
    let value = if negative { -value } else { value };
    (i128::from(i64::MIN)..=i128::from(u64::MAX))
        .contains(&value)
        .then_some(value)
}

fn split_radix(magnitude: &str) -> (u32, &str) {
    let prefixed = |lower: &str, upper: &str| {
        magnitude
            .strip_prefix(lower)
            .or_else(|| magnitude.strip_prefix(upper))
    };
    if let Some(rest) = prefixed("0x", "0X") {
        (16, rest)
    } else if let Some(rest) = prefixed("0b", "0B") {
        (2, rest)
    } else if let Some(rest) = prefixed("0o", "0O") {
        (8, rest)
    } else if let Some(rest) = magnitude.strip_prefix('0').filter(|rest| !rest.is_empty()) {
        (8, rest)
    } else {
        (10, magnitude)
    }
}

/// Only decimal notation with an ASCII digit; the standard parser accepts words such as `inf` too.
fn parse_float(text: &str) -> Option<f64> {
    let decimal = text
        .bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let value = if decimal {
        text.parse::<f64>().ok()?
    } else {
        return None;
    };
    // Out of range stays text, as in Go.
    value.is_finite().then_some(value)
}

/// Decodes standard base64 with padding; line breaks are allowed between the letters.
fn decode_binary(text: &str) -> Option<String> {
    let letters: Vec<u8> = text
        .bytes()
        .filter(|b| !matches!(b, b'\n' | b'\r'))
        .collect();
    let (groups, rest) = letters.as_chunks::<4>();
    let mut bytes = Vec::with_capacity(groups.len() * 3);
    let last = groups.len().checked_sub(1);
    for (position, group) in groups.iter().enumerate() {
        let padding = group.iter().rev().take_while(|b| **b == b'=').count();
        if padding > 2 || (padding > 0 && Some(position) != last) {
            return None;
        }
        let mut word = 0u32;
        for letter in group.iter().take(4 - padding) {
            word = word << 6 | u32::from(base64_digit(*letter)?);
        }
        let [_, a, b, c] = (word << (6 * padding)).to_be_bytes();
        bytes.extend([a, b, c].iter().take(3 - padding));
    }
    rest.is_empty()
        .then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn base64_digit(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Value {
        resolve(None, text.to_owned(), true).expect("plain text always has a type")
    }

    #[test]
    fn plain_text_gets_the_types_of_yaml_1_1() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Value::Null, "{text}");
        }
        for text in [
            "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE",
        ] {
            assert_eq!(plain(text), Value::Bool(true), "{text}");
        }
        for text in [
            "n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE",
        ] {
            assert_eq!(plain(text), Value::Bool(false), "{text}");
        }
    }

    #[test]
    fn integers_in_every_notation() {
        let cases: &[(&str, i128)] = &[
            ("0", 0),
            ("-0", 0),
            ("00", 0),
            ("12", 12),
            ("-3", -3),
            ("+3", 3),
            ("017", 15),
            ("010", 8),
            ("0o17", 15),
            ("0O17", 15),
            ("0_7", 7),
            ("-017", -15),
            ("0b11", 3),
            ("0B11", 3),
            ("-0b11", -3),
            ("0x1F", 31),
            ("0X1f", 31),
            ("0x_1F", 31),
            ("1_000", 1000),
            ("1__0", 10),
            ("3_", 3),
            ("9223372036854775807", i128::from(i64::MAX)),
            ("-9223372036854775808", i128::from(i64::MIN)),
            ("18446744073709551615", i128::from(u64::MAX)),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text), Value::Integer(*expected), "{text}");
        }
    }

    #[test]
    fn floats_are_decimal_only() {
        let cases: &[(&str, f64)] = &[
            ("1.0", 1.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("1E3", 1000.0),
            ("-1.5e-2", -0.015),
            ("08", 8.0),
            ("09.5", 9.5),
            ("1_000.0", 1000.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            ("-9223372036854775809", -9_223_372_036_854_775_809.0),
            (".inf", f64::INFINITY),
            ("+.Inf", f64::INFINITY),
            ("-.INF", f64::NEG_INFINITY),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text), Value::Float(*expected), "{text}");
        }
        assert!(matches!(plain(".nan"), Value::Float(value) if value.is_nan()));
    }

    #[test]
    fn everything_else_is_text() {
        let cases = [
            "tRue",
            "nUll",
            "yEs",
            "T",
            "F",
            "_1",
            "0o8",
            "0xZZ",
            "0x",
            "0b",
            "0b2",
            "+-5",
            "--5",
            "-",
            "+",
            ".",
            "..",
            "1:30",
            "2026-01-02",
            "2026-01-02T03:04:05Z",
            "1.2.3",
            "0x1p3",
            "1e",
            "1e999",
            "-inf",
            "+nan",
            "5m",
            "١",
            "5 5",
            "<<",
        ];
        for text in cases {
            assert_eq!(plain(text), Value::String(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn quotes_and_tags_decide_before_the_text_does() {
        let long = |name: &str| format!("{STANDARD_TAG}{name}");
        let cases = [
            (None, "5", false, Ok(Value::String("5".into()))),
            (Some(long("str")), "5", false, Ok(Value::String("5".into()))),
            (Some(long("int")), "0x10", false, Ok(Value::Integer(16))),
            (Some(long("float")), "5", false, Ok(Value::Float(5.0))),
            (Some(long("bool")), "no", false, Ok(Value::Bool(false))),
            (
                Some(long("int")),
                "five",
                false,
                Err(TagMismatch("!!int".into())),
            ),
            (
                Some(long("bool")),
                "1",
                false,
                Err(TagMismatch("!!bool".into())),
            ),
            (
                Some(long("timestamp")),
                "2026-01-02",
                false,
                Ok(Value::String("2026-01-02".into())),
            ),
            (Some("!x".into()), "5", false, Ok(Value::String("5".into()))),
            (
                Some("!x".into()),
                "",
                false,
                Ok(Value::String(String::new())),
            ),
            (
                Some(long("binary")),
                "aGk=",
                false,
                Ok(Value::String("hi".into())),
            ),
            (
                Some(long("binary")),
                "aGkh\naGkh",
                false,
                Ok(Value::String("hi!hi!".into())),
            ),
            (
                Some(long("binary")),
                "aGk",
                false,
                Err(TagMismatch("!!binary".into())),
            ),
            (
                Some(long("binary")),
                "a===",
                false,
                Err(TagMismatch("!!binary".into())),
            ),
            (
                Some(long("binary")),
                "aG==aGkh",
                false,
                Err(TagMismatch("!!binary".into())),
            ),
        ];
        for (tag, text, plain, expected) in cases {
            assert_eq!(
                resolve(tag.as_deref(), text.to_owned(), plain),
                expected,
                "{tag:?} {text}"
            );
        }
    }
}
