//! JSON without duplicate members.
//!
//! Parsers differ in which of two duplicate members they use, so whoever gets such a text signed
//! could show two parties different things (RFC 7515 section 4, RFC 7519 section 4). The parser
//! limits nesting to 128 levels.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// Parses a text as one object; `None` if it is something else or has duplicate members anywhere.
pub(crate) fn parse_object(text: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(text).ok()? {
        UniqueMembers(Value::Object(members)) => Some(members),
        UniqueMembers(_) => None,
    }
}

struct UniqueMembers(Value);

impl<'de> Deserialize<'de> for UniqueMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueMembersVisitor).map(Self)
    }
}

struct UniqueMembersVisitor;

impl<'de> Visitor<'de> for UniqueMembersVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON without duplicate members")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("not a finite number"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(UniqueMembers(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, UniqueMembers(value))) = object.next_entry::<String, _>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("duplicate member"));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_are_read_as_the_library_reads_them() {
        let text = r#"{"a":[1,-2,2.5,"x\u00fc",null,true,{"b":{}}],"A":18446744073709551615}"#;
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(
            parse_object(text.as_bytes()).map(Value::Object),
            Some(expected)
        );
        assert_eq!(parse_object(b" {} ").map(Value::Object), Some(json!({})));
    }

    #[test]
    fn what_is_ambiguous_or_no_object_is_refused() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        for text in [
            "",
            "[]",
            "1",
            "null",
            "{",
            "{}{}",
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"b":[{"c":{"a":1,"a":2}}]}"#,
            r#"{"a":1e999}"#,
            &deep,
        ] {
            let start: String = text.chars().take(40).collect();
            assert!(parse_object(text.as_bytes()).is_none(), "{start}");
        }
        assert!(parse_object(b"{\"\xff\":1}").is_none());
    }
}
