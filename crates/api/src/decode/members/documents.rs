//! JSON documents inside a body, which are kept as they are.

use super::{Members, Node, echo, node};
use crate::decode::DecodeError;
use crate::decode::watch::Shape;
use portcullis_domain::FieldError;
use serde_json::{Map, Value};

/// How deep lists and objects of a document may be nested, the document included. Records are read
/// back by a parser with a limit of its own, which lies above.
const MAX_DEPTH: usize = 100;

impl Members {
    /// An object that is kept as it is, with names in any case and `null` as a value.
    ///
    /// Clients are used to hear of the member, not of the body, when it is no object.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Field`] when it is no object, or when lists and objects lie more than 100 deep
    /// in each other.
    pub fn document(&mut self, name: &str) -> Result<Option<Map<String, Value>>, DecodeError> {
        let path = self.path(name);
        let Some(node) = self.take(name, Shape::Document, Ok)? else {
            return Ok(None);
        };
        if !node.is_within(MAX_DEPTH) {
            let reason = format!("must not be nested more than {MAX_DEPTH} levels deep");
            return Err(FieldError::new(path, reason, "deeper").into());
        }
        match node {
            Node::Object(members) => Ok(Some(node::into_map(members))),
            Node::Text(text) => Err(no_object(path, &text)),
            other => Err(no_object(path, &other.into_value().to_string())),
        }
    }

    /// A document that must be there.
    pub fn required_document(&mut self, name: &str) -> Result<Map<String, Value>, DecodeError> {
        let document = self.document(name)?;
        self.require(name, document)
    }
}

fn no_object(path: String, value: &str) -> DecodeError {
    FieldError::new(path, "must be an object", echo(value)).into()
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
