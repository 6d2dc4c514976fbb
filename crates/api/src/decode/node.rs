//! JSON tree of a body, with object members in document order.

use super::parse_error::ParseError;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// Maximum number of values in one body. A value takes many times more memory than the two bytes
/// that it may take in the body.
pub(super) const MAX_VALUES: u32 = 65_536;

/// Maximum nesting of lists and objects, which is the recursion limit of `serde_json`.
pub(super) const MAX_LEVELS: u32 = 127;

/// A JSON value.
///
/// [`Value`] would lose the order of members, which decides between `name` and `Name`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Node {
    /// Parses the first JSON value of `bytes`; `None` when there is nothing but white space.
    ///
    /// Nesting deeper than 127 levels is an error: `serde_json` stops there, long before the stack
    /// ends. So are more than 65536 values.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, ParseError> {
        if bytes
            .iter()
            .all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        {
            return Ok(None);
        }
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let left = Cell::new(Some(MAX_VALUES));
        NodeReader { remaining: &left }
            .deserialize(&mut deserializer)
            .map(Some)
            .map_err(|error| ParseError::new(error, left.get().is_none()))
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Whether lists and objects are nested at most `levels` deep.
    pub(super) fn is_within_depth(&self, levels: usize) -> bool {
        match self {
            Self::List(_) | Self::Object(_) if levels == 0 => false,
            Self::List(items) => items.iter().all(|item| item.is_within_depth(levels - 1)),
            Self::Object(members) => members
                .iter()
                .all(|(_name, member)| member.is_within_depth(levels - 1)),
            _ => true,
        }
    }

    /// Converts to a [`Value`]; of repeated members, the last one wins.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(value) => Value::Number(value),
            Self::Text(value) => Value::String(value),
            Self::List(items) => items.into_iter().map(Self::into_value).collect(),
            Self::Object(members) => Value::Object(into_map(members)),
        }
    }
}

/// Converts the members of an object to a map; of repeated ones, the last one wins.
pub(super) fn into_map(members: Vec<(String, Node)>) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, node)| (name, node.into_value()))
        .collect()
}

/// Deserializes a value and its nested values.
#[derive(Clone, Copy)]
struct NodeReader<'c> {
    /// Number of values still allowed; `None` once it is exceeded.
    remaining: &'c Cell<Option<u32>>,
}

impl<'de> DeserializeSeed<'de> for NodeReader<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        let left = self.remaining.get().and_then(|left| left.checked_sub(1));
        self.remaining.set(left);
        if left.is_none() {
            return Err(D::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeReader<'_> {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Number::from_f64(value)
            .map(Node::Number)
            .ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = access.next_key()? {
            members.push((name, access.next_value_seed(self)?));
        }
        Ok(Node::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_value_counts() {
        for (text, node) in [
            ("true false", Node::Bool(true)),
            ("{} trailing", Node::Object(vec![])),
            ("[]]", Node::List(vec![])),
            ("  null", Node::Null),
        ] {
            assert_eq!(Node::parse(text.as_bytes()).unwrap(), Some(node), "{text}");
        }
    }

    #[test]
    fn white_space_is_no_value() {
        for text in ["", " ", "\r\n\t"] {
            assert_eq!(Node::parse(text.as_bytes()).unwrap(), None);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Node::parse(nested(127).as_bytes()).is_ok());
        for text in [nested(128), "[".repeat(500_000), "{\"\":".repeat(128)] {
            let refused = Node::parse(text.as_bytes()).unwrap_err();
            assert!(matches!(refused, ParseError::TooDeep), "{refused:?}");
        }
        for text in ["[".repeat(127), format!("{}nope", "[".repeat(127))] {
            let refused = Node::parse(text.as_bytes()).unwrap_err();
            assert!(matches!(refused, ParseError::NotJson(_)), "{refused:?}");
        }
    }

    #[test]
    fn number_of_values_is_bounded() {
        let inner = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        let objects = |count: usize| format!("[{}{{}}]", "{\"\":1},".repeat(count));
        for (text, is_read) in [
            (inner(65_535), true),
            (inner(65_536), false),
            (objects(32_767), true),
            (objects(32_768), false),
        ] {
            let read = Node::parse(text.as_bytes());
            assert_eq!(read.is_ok(), is_read);
            if let Err(error) = read {
                assert!(matches!(error, ParseError::TooManyValues), "{error:?}");
            }
        }
        // As many as there may be, and then something else is wrong.
        let damaged = inner(65_535).replace(']', "");
        let refused = Node::parse(damaged.as_bytes()).unwrap_err();
        assert!(matches!(refused, ParseError::NotJson(_)), "{refused:?}");
    }

    #[test]
    fn damaged_texts_are_errors() {
        for bytes in [
            &b"{"[..],
            b"{\"a\":}",
            b"\"\xff\"",
            b"\xef\xbb\xbf{}",
            b"1e999",
            b"nope",
        ] {
            assert!(Node::parse(bytes).is_err(), "{bytes:?}");
        }
    }
}
