//! Members that are maps with arbitrary keys.

use super::{Members, Node, integer, into_strings, to_u16, wrong_type};
use crate::decode::DecodeError;
use crate::decode::trace::JsonType;
use std::collections::BTreeMap;

/// Optional lists of strings by arbitrary keys.
pub type StringLists = BTreeMap<String, Option<Vec<String>>>;

impl Members {
    /// A map with string values.
    pub fn string_map(
        &mut self,
        name: &str,
    ) -> Result<Option<BTreeMap<String, String>>, DecodeError> {
        self.map(
            name,
            JsonType::StringMap,
            "a string",
            |_, node| match node {
                Node::Text(text) => Ok(Ok(text)),
                other => Err(other),
            },
        )
    }

    /// A map with values that are whole numbers from 0 to 65535.
    pub fn u16_map(&mut self, name: &str) -> Result<Option<BTreeMap<String, u16>>, DecodeError> {
        self.map(
            name,
            JsonType::IntegerMap,
            "a whole number",
            |path, node| integer(node).map(|value| to_u16(path, value)),
        )
    }

    fn map<T>(
        &mut self,
        name: &str,
        shape: JsonType,
        expected: &str,
        read: impl Fn(&str, Node) -> Result<Result<T, DecodeError>, Node>,
    ) -> Result<Option<BTreeMap<String, T>>, DecodeError> {
        let path = self.path(name);
        let Some(members) = self.take_object(name, shape)? else {
            return Ok(None);
        };
        members
            .into_iter()
            .map(|(key, node)| {
                let path = format!("{path}.{key}");
                let value =
                    read(&path, node).map_err(|node| wrong_type(&path, expected, &node))??;
                Ok((key, value))
            })
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// A map with values that are lists of strings or `null`.
    pub fn string_list_map(&mut self, name: &str) -> Result<Option<StringLists>, DecodeError> {
        self.map(
            name,
            JsonType::StringListMap,
            "a list of strings",
            |path, node| match node {
                Node::Null => Ok(Ok(None)),
                Node::List(items) => Ok(into_strings(path, items).map(Some)),
                other => Err(other),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(body: &str) -> Members {
        Members::parse(body.as_bytes(), "body").unwrap()
    }

    #[test]
    fn lists_by_name_may_be_missing() {
        let lists = |text: &str| members(text).string_list_map("m");
        let read = lists(r#"{"m": {"a": null, "b": [], "c": ["x"]}}"#)
            .unwrap()
            .unwrap();
        let read: Vec<_> = read.into_values().collect();
        assert_eq!(read, [None, Some(vec![]), Some(vec!["x".to_owned()])]);
        for (text, said) in [
            (
                r#"{"m": {"a": "x"}}"#,
                "m.a must be a list of strings, not a string",
            ),
            (
                r#"{"m": {"a": ["x", 1]}}"#,
                "m.a.1 must be a string, not a number",
            ),
            (r#"{"m": []}"#, "m must be an object, not a list"),
        ] {
            assert_eq!(lists(text), Err(DecodeError::Parse(said.to_owned())));
        }
    }
}
