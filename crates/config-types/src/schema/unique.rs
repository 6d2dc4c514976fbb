//! The keyword `uniqueItems`.
//!
//! The validator's own implementation compares hashes first, which are equal for items that differ only
//! in their brackets. Thousands of such items would be compared pairwise.

use jsonschema::{Keyword, ValidationError, paths::Location};
use portcullis_domain::config::JsonObject;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The name of the keyword.
pub(super) const NAME: &str = "uniqueItems";

/// Whether items must differ.
struct Unique(bool);

/// Creates the keyword for the validator.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the validator takes keywords that may refuse what is said of them"
)]
pub(super) fn keyword<'a>(
    _: &'a JsonObject,
    value: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    Ok(Box::new(Unique(*value == Value::Bool(true))))
}

impl<'i> Keyword<'i> for Unique {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom(NAME))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let Value::Array(items) = instance else {
            return true;
        };
        let mut seen = BTreeSet::new();
        !self.0 || items.iter().all(|item| seen.insert(canonical(item)))
    }
}

/// A text that is the same for equal values only. Numbers must be normalized.
fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        },
        Value::Object(members) => {
            // Sorted by name, independent of the order of the map.
            let names: BTreeSet<_> = members.keys().collect();
            text.push('{');
            for name in names {
                let _ = write!(text, "{name:?}:");
                write(members.get(name).unwrap_or(&Value::Null), text);
                text.push(',');
            }
            text.push('}');
        },
        // A `String` takes whatever is written to it.
        scalar => {
            let _ = write!(text, "{scalar}");
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_values_alone_have_the_same_text() {
        let values = [
            json!(null),
            json!("null"),
            json!(1),
            json!("1"),
            json!(true),
            json!([1]),
            json!([[1]]),
            json!([[], 1]),
            json!({}),
            json!([]),
            json!({"a": 1}),
            json!({"a": [1]}),
            json!({"a": {"b": 1}}),
            json!({"a": {}, "b": 1}),
            json!("a,b"),
            json!(["a", "b"]),
            json!("[\"a\",\"b\"]"),
        ];
        let texts: BTreeSet<_> = values.iter().map(canonical).collect();
        assert_eq!(texts.len(), values.len());
        assert_eq!(
            canonical(&json!({"a": 1, "b": 2})),
            canonical(&json!({"b": 2, "a": 1}))
        );
    }
}
