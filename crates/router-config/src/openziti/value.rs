//! Values as OpenZiti represents them.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Node, Value};
use serde_json::{Value as Json, json};

use crate::table::{Key, OpenZitiRule, ReadMode, Representation};

/// Reads an integer of 64 bits; larger ones have another type in OpenZiti's parser.
pub(super) fn integer(node: &Node) -> Option<i64> {
    i64::try_from(node.as_integer()?).ok()
}

/// Reads an integer, or a float without a fraction.
pub(super) fn whole_number(node: &Node) -> Option<i64> {
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

/// Reads a float, but no integer.
pub(super) fn float(node: &Node) -> Option<f64> {
    match node.value {
        Value::Float(number) => Some(number),
        _ => None,
    }
}

/// Reads a float or an integer.
pub(super) fn number(node: &Node) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "OpenZiti converts the same way")]
    float(node).or_else(|| integer(node).map(|number| number as f64))
}

/// Whether OpenZiti reads the value as true where it compares its text.
pub(super) fn lenient_bool(node: &Node) -> bool {
    match &node.value {
        Value::Bool(value) => *value,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Returns the text of a scalar that could be a duration.
pub(super) fn duration_text(node: &Node) -> Option<String> {
    match &node.value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Converts a number to the representation of OpenZiti; durations are in nanoseconds.
pub(super) fn convert(number: i64, representation: Representation) -> i64 {
    match representation {
        Representation::Plain => number,
        Representation::Milliseconds => number.wrapping_mul(1_000_000),
        Representation::Seconds => number.wrapping_mul(1_000_000_000),
        Representation::Signed32 => i64::from(low32(number).cast_signed()),
        Representation::Unsigned32 => i64::from(low32(number)),
        Representation::Unsigned16 => i64::from(low32(number) & 0xFFFF),
    }
}

/// Renders a converted number.
pub(super) fn render(number: i64, representation: Representation) -> Json {
    match representation {
        Representation::Milliseconds | Representation::Seconds => duration(number),
        _ => json!(number),
    }
}

pub(super) fn low32(number: i64) -> u32 {
    let bytes = number.to_le_bytes();
    let [a, b, c, d, ..] = bytes;
    u32::from_le_bytes([a, b, c, d])
}

/// Renders a duration in nanoseconds.
pub(super) fn duration(nanoseconds: i64) -> Json {
    Json::String(GoDuration::from_nanoseconds(nanoseconds).to_string())
}

/// Renders a float; values that JSON cannot represent become null.
pub(super) fn float_json(number: f64) -> Json {
    serde_json::Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// Renders the default of OpenZiti for a key, if it has one.
pub(super) fn default(key: &Key) -> Option<Json> {
    if key.openziti.mode == ReadMode::String {
        return Some(json!(
            key.openziti_default().unwrap_or_default().trim_matches('"')
        ));
    }
    let text = key.openziti_default()?;
    let OpenZitiRule {
        mode: read,
        representation: form,
        ..
    } = key.openziti;
    match read {
        ReadMode::Integer | ReadMode::WholeNumber => {
            let number = convert(text.parse().ok()?, form);
            Some(render(number, form))
        },
        ReadMode::Float | ReadMode::Number => text.parse().ok().map(float_json),
        ReadMode::Bool | ReadMode::LenientBool => Some(json!(text == "true")),
        ReadMode::Duration | ReadMode::ScalarDuration | ReadMode::DurationOrMilliseconds => text
            .parse::<GoDuration>()
            .ok()
            .map(|d| duration(d.nanoseconds())),
        ReadMode::String | ReadMode::Section | ReadMode::Unread => None,
    }
}
