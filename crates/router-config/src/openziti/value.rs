//! Values as OpenZiti holds them.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Node, Value};
use serde_json::{Value as Json, json};

use crate::table::{Key, Original, Read, Shown};

/// Gives an integer as OpenZiti's parser types it; larger ones are of another type.
pub(super) fn integer(node: &Node) -> Option<i64> {
    i64::try_from(node.as_integer()?).ok()
}

/// Gives an integer, or a float without a fraction.
pub(super) fn whole(node: &Node) -> Option<i64> {
    match node.value {
        Value::Float(number)
            if number.fract().abs() < f64::MIN_POSITIVE
                && number.abs() <= 9_223_372_036_854_775_807.0 =>
        {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "checked to be whole and in range"
            )]
            let number = number as i64;
            Some(number)
        },
        _ => integer(node),
    }
}

/// Gives a float literal.
pub(super) fn float(node: &Node) -> Option<f64> {
    match node.value {
        Value::Float(number) => Some(number),
        _ => None,
    }
}

/// Gives a float or an integer.
pub(super) fn number(node: &Node) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "OpenZiti converts the same way")]
    float(node).or_else(|| integer(node).map(|number| number as f64))
}

/// Tells whether OpenZiti takes the value for true where it looks at its text.
pub(super) fn truth(node: &Node) -> bool {
    match &node.value {
        Value::Bool(value) => *value,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Gives the text of a scalar as far as it could be a duration.
pub(super) fn printed(node: &Node) -> Option<String> {
    match &node.value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Writes a number in the form in which OpenZiti holds it.
pub(super) fn shown(number: i64, shown: Shown) -> Json {
    match shown {
        Shown::Plain => json!(number),
        Shown::Milliseconds => duration(number.wrapping_mul(1_000_000)),
        Shown::Seconds => duration(number.wrapping_mul(1_000_000_000)),
        Shown::Signed32 => json!(i64::from(low32(number).cast_signed())),
        Shown::Unsigned32 => json!(low32(number)),
        Shown::Unsigned16 => json!(low32(number) & 0xFFFF),
    }
}

/// Keeps the lowest 32 bits.
pub(super) fn low32(number: i64) -> u32 {
    let bytes = number.to_le_bytes();
    let [a, b, c, d, ..] = bytes;
    u32::from_le_bytes([a, b, c, d])
}

/// Writes a duration of nanoseconds.
pub(super) fn duration(nanoseconds: i64) -> Json {
    Json::String(GoDuration::from_nanoseconds(nanoseconds).to_string())
}

/// Writes a float; what JSON cannot hold becomes null.
pub(super) fn float_json(number: f64) -> Json {
    serde_json::Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// Writes the default of OpenZiti for a key, if it has one.
pub(super) fn default(key: &Key) -> Option<Json> {
    let text = key.original_default()?;
    let Original {
        read, shown: form, ..
    } = key.original;
    match read {
        Read::Integer | Read::Whole => text.parse().ok().map(|number| shown(number, form)),
        Read::Float | Read::Number => text.parse().ok().map(float_json),
        Read::Bool | Read::Truth => Some(json!(text == "true")),
        Read::Duration | Read::Printed => text
            .parse::<GoDuration>()
            .ok()
            .map(|d| duration(d.nanoseconds())),
        Read::Text => Some(json!(text.trim_matches('"'))),
        Read::Nothing => None,
    }
}
