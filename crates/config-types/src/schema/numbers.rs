//! Normalization of numbers.

use portcullis_domain::config::JsonObject;
use serde_json::{Number, Value};

/// `object` with whole numbers written without a fraction: `2.0` and `2e0` as `2`. `None` if it is
/// nested more than `depth` levels.
pub(super) fn normalize_numbers(object: &JsonObject, depth: usize) -> Option<JsonObject> {
    let depth = depth.checked_sub(1)?;
    object
        .iter()
        .map(|(name, value)| Some((name.clone(), normalize_value(value, depth)?)))
        .collect()
}

fn normalize_value(value: &Value, depth: usize) -> Option<Value> {
    Some(match value {
        Value::Object(members) => Value::Object(normalize_numbers(members, depth)?),
        Value::Array(items) => {
            let depth = depth.checked_sub(1)?;
            let items: Option<_> = items
                .iter()
                .map(|item| normalize_value(item, depth))
                .collect();
            Value::Array(items?)
        },
        Value::Number(number) => {
            Value::Number(to_integer(number).unwrap_or_else(|| number.clone()))
        },
        other => other.clone(),
    })
}

/// `number` as an integer, if it was written with a fraction or an exponent but is whole.
fn to_integer(number: &Number) -> Option<Number> {
    /// Above this, neighboring floating-point numbers differ by more than one, so the intended integer
    /// is unknown.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|_| number.is_f64())?;
    if value.fract() != 0.0 || value.abs() > EXACT {
        return None;
    }
    format!("{value:.0}").parse::<i64>().ok().map(Number::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> JsonObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        let given = r#"{"f": 1.5, "i": 2.0, "e": 1e3, "n": -0.0, "big": 12345678901,
            "max": 18446744073709551615, "huge": 1e30, "deep": [{"x": -7.0}]}"#;
        let settled = normalize_numbers(&serde_json::from_str(given).unwrap(), 8).unwrap();
        let expected = r#"{"f":1.5,"i":2,"e":1000,"n":0,"big":12345678901,
            "max":18446744073709551615,"huge":1e30,"deep":[{"x":-7}]}"#;
        assert_eq!(settled, object(serde_json::from_str(expected).unwrap()));
        assert_eq!(settled["i"].to_string(), "2");
        assert_eq!(settled["n"].to_string(), "0");
    }

    #[test]
    fn values_lie_as_deep_as_allowed_and_no_deeper() {
        let given = object(json!({"a": [{"b": 1}]}));
        assert_eq!(normalize_numbers(&given, 3), Some(given.clone()));
        assert_eq!(normalize_numbers(&given, 2), None);
    }
}
