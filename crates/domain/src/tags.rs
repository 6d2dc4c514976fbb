//! Tags and application data of entities.

use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;

/// The value of a tag. Tags do not nest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TagValue {
    /// JSON `null`.
    Null,
    Bool(bool),
    /// A number, kept as it was written.
    Number(serde_json::Number),
    Text(String),
}

/// Limits for the tags of one entity. Tags stored under other limits stay readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagLimits {
    pub max_tags: usize,
    /// Of all tags as JSON.
    pub max_bytes: usize,
}

impl TagLimits {
    /// For entities managed by administrators.
    pub const MANAGED: Self = Self {
        max_tags: 128,
        max_bytes: 64 * 1024,
    };

    /// For entities that identities create for themselves in large numbers.
    pub const OWN: Self = Self {
        max_tags: 32,
        max_bytes: 4 * 1024,
    };
}

/// Named values that users attach to an entity; the controller does not interpret them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tags(BTreeMap<String, TagValue>);

impl Tags {
    /// Converts a JSON object to tags.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `tags.<key>` when a value is an object or a list.
    pub fn from_json(
        object: impl IntoIterator<Item = (String, serde_json::Value)>,
    ) -> Result<Self, FieldError> {
        object
            .into_iter()
            .map(|(key, value)| match tag_value(value) {
                Ok(value) => Ok((key, value)),
                Err(value) => Err(FieldError::new(
                    format!("tags.{key}"),
                    "must be a string, a number, a boolean or null",
                    value.to_string(),
                )),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Validates number and size of the tags.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `tags` with the limit and the actual value.
    pub fn validate(&self, limits: TagLimits) -> Result<(), FieldError> {
        let (count, bytes) = (self.0.len(), self.stored_bytes());
        let reason = if count > limits.max_tags {
            format!(
                "at most {} tags are allowed; there are {count}",
                limits.max_tags
            )
        } else if bytes > limits.max_bytes {
            let most = limits.max_bytes;
            format!("all tags together may be at most {most} bytes of JSON; these are {bytes}")
        } else {
            return Ok(());
        };
        Err(FieldError::new("tags", reason, format!("{count} tags")))
    }

    /// Size of the tags in a record, in bytes.
    pub fn stored_bytes(&self) -> usize {
        let mut length = ByteCounter(0);
        // Neither serializing plain values nor the counter can fail.
        let _ = serde_json::to_writer(&mut length, &self.0);
        length.0
    }

    /// Whether there is no tag.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of one tag.
    pub fn get(&self, key: &str) -> Option<&TagValue> {
        self.0.get(key)
    }

    /// All tags by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TagValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

/// Counts written bytes.
struct ByteCounter(usize);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FromIterator<(String, TagValue)> for Tags {
    fn from_iter<I: IntoIterator<Item = (String, TagValue)>>(tags: I) -> Self {
        Self(tags.into_iter().collect())
    }
}

fn tag_value(value: serde_json::Value) -> Result<TagValue, serde_json::Value> {
    use serde_json::Value;
    match value {
        Value::Null => Ok(TagValue::Null),
        Value::Bool(value) => Ok(TagValue::Bool(value)),
        Value::Number(value) => Ok(TagValue::Number(value)),
        Value::String(value) => Ok(TagValue::Text(value)),
        nested @ (Value::Array(_) | Value::Object(_)) => Err(nested),
    }
}

/// Free-form, possibly nested data of the application of an identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AppData(serde_json::Map<String, serde_json::Value>);

impl AppData {
    /// Wraps a JSON object.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when lists and objects are nested more than 100 levels deep, including the
    /// object itself.
    pub fn from_json(
        object: serde_json::Map<String, serde_json::Value>,
    ) -> Result<Self, FieldError> {
        if object
            .values()
            .all(|value| is_shallow(value, MAX_DEPTH - 1))
        {
            Ok(Self(object))
        } else {
            Err(FieldError::new(
                "appData",
                format!("must not be nested more than {MAX_DEPTH} levels deep"),
                "deeper",
            ))
        }
    }

    /// Whether there is no data.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Maximum nesting of application data. The JSON parser that reads records back has a higher limit.
const MAX_DEPTH: usize = 100;

/// Whether a value has at most `levels` levels of lists and objects.
fn is_shallow(value: &serde_json::Value, levels: usize) -> bool {
    use serde_json::Value::{Array, Object};
    match value {
        Array(_) | Object(_) if levels == 0 => false,
        Array(items) => items.iter().all(|item| is_shallow(item, levels - 1)),
        Object(members) => members
            .values()
            .all(|member| is_shallow(member, levels - 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_value_is_refused_by_name() {
        let object = serde_json::json!({"plain": 1, "deep": {"a": 1}});
        let serde_json::Value::Object(object) = object else {
            unreachable!()
        };
        let error = Tags::from_json(object).unwrap_err();
        assert_eq!(error.field, "tags.deep");
        assert_eq!(error.value, r#"{"a":1}"#);
    }

    #[test]
    fn room_for_tags_is_limited_in_number_and_bytes() {
        let limits = TagLimits {
            max_tags: 2,
            max_bytes: 20,
        };
        let tags = |text: &str| serde_json::from_str::<Tags>(text).unwrap();
        for (text, refused) in [
            (r#"{"a":1,"b":2}"#, None),
            (
                r#"{"a":1,"b":2,"c":3}"#,
                Some("at most 2 tags are allowed; there are 3"),
            ),
            (r#"{"a":"12345678901234"}"#, Some("at most 20 bytes")),
            (r#"{"a":"123456789012"}"#, None),
            (r#"{"a":"\u0001\u0001\u0001"}"#, Some("these are 26")),
        ] {
            let tags = tags(text);
            assert_eq!(tags.stored_bytes(), text.len());
            match (tags.validate(limits), refused) {
                (Ok(()), None) => {},
                (Err(error), Some(reason)) => {
                    assert_eq!(error.field, "tags");
                    assert!(error.reason.contains(reason), "{error}");
                },
                (other, _) => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn application_data_has_a_depth_that_can_be_read_back() {
        for (depth, is_accepted) in [(1, true), (100, true), (101, false), (126, false)] {
            for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
                let inner = depth - 1;
                let text = format!("{{\"a\":{}1{}}}", open.repeat(inner), close.repeat(inner));
                let object = serde_json::from_str(&text).unwrap();
                let data = AppData::from_json(object);
                assert_eq!(data.is_ok(), is_accepted, "{depth} {open}");
            }
        }
    }

    #[test]
    fn values_survive_storage() {
        let text = r#"{"b":true,"n":1.50,"s":"x","z":null}"#;
        let tags: Tags = serde_json::from_str(text).unwrap();
        assert_eq!(tags.get("z"), Some(&TagValue::Null));
        assert_eq!(
            serde_json::to_string(&tags).unwrap(),
            r#"{"b":true,"n":1.5,"s":"x","z":null}"#
        );
    }
}
