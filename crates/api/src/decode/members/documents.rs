//! JSON documents inside a body, which are kept unchanged.

use super::{Members, Node, excerpt, node};
use crate::decode::DecodeError;
use crate::decode::trace::JsonType;
use portcullis_domain::FieldError;
use serde_json::{Map, Value};

/// Maximum nesting of a document, itself included. It is below the recursion limit of the parser
/// that reads stored records.
const MAX_DEPTH: usize = 100;

impl Members {
    /// An optional object that is kept unchanged: names are case-sensitive, and `null` is a value.
    ///
    /// Unlike elsewhere, clients expect a wrong type to be reported for the member, not for the body.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Field`] when it is not an object, or nested more than 100 levels deep.
    pub fn document(&mut self, name: &str) -> Result<Option<Map<String, Value>>, DecodeError> {
        let path = self.path(name);
        let Some(node) = self.take(name, JsonType::Document, Ok)? else {
            return Ok(None);
        };
        if !node.is_within_depth(MAX_DEPTH) {
            let reason = format!("must not be nested more than {MAX_DEPTH} levels deep");
            return Err(FieldError::new(path, reason, "deeper").into());
        }
        match node {
            Node::Object(members) => Ok(Some(node::into_map(members))),
            Node::Text(text) => Err(not_an_object(path, &text)),
            other => Err(not_an_object(path, &other.into_value().to_string())),
        }
    }

    pub fn required_document(&mut self, name: &str) -> Result<Map<String, Value>, DecodeError> {
        let document = self.document(name)?;
        self.require(name, document)
    }
}

fn not_an_object(path: String, value: &str) -> DecodeError {
    FieldError::new(path, "must be an object", excerpt(value)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Option<Map<String, Value>>, DecodeError> {
        Members::parse(body.as_bytes(), "config")
            .unwrap()
            .document("data")
    }

    #[test]
    fn another_type_is_a_fault_of_the_member() {
        for (body, value) in [
            (r#"{"data": "text"}"#, "text"),
            (r#"{"data": [1, 2]}"#, "[1,2]"),
            (r#"{"data": false}"#, "false"),
        ] {
            match read(body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), ("data", value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        assert_eq!(read(r#"{"data": null}"#), Ok(None));
        let kept = read(r#"{"data": {"A": 1, "a": null}}"#).unwrap().unwrap();
        assert_eq!(kept.len(), 2);
    }

    #[test]
    fn depth_is_bounded() {
        for (depth, is_taken) in [(1, true), (100, true), (101, false), (120, false)] {
            for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
                let inner = depth - 1;
                let (open, close) = (open.repeat(inner), close.repeat(inner));
                let body = format!("{{\"data\": {{\"a\": {open}1{close}}}}}");
                assert_eq!(read(&body).is_ok(), is_taken, "{depth}");
            }
        }
    }
}
