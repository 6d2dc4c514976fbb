//! The names by which references lead to schemas.

use super::keywords::Keyword;
use portcullis_domain::config::Object;
use serde_json::Value;
use std::collections::BTreeMap;

/// The names in a document.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// That of the document itself, without fragment.
    document: Option<String>,
    /// Pointers to schemas that are named `#name`, by name.
    schemas: BTreeMap<String, String>,
}

impl Names {
    /// Finds the names in `schema`, which does not lie deep.
    ///
    /// # Errors
    ///
    /// What is wrong with them, in words.
    pub(super) fn read(schema: &Object) -> Result<Self, String> {
        let mut names = Self::default();
        for keyword in ["$schema", "$id", "id"] {
            if schema.get(keyword).is_some_and(|name| !name.is_string()) {
                return Err(format!("`/{keyword}` must be a string"));
            }
        }
        names.document = id(schema).map(|id| document(id).to_owned());
        names.find(schema, "");
        Ok(names)
    }

    fn find(&mut self, schema: &Object, pointer: &str) {
        if let Some(name) = id(schema).and_then(|id| id.strip_prefix('#')) {
            self.schemas.insert(name.to_owned(), pointer.to_owned());
        }
        for (name, value) in schema {
            let pointer = format!("{pointer}/{}", escaped(name));
            match (Keyword::named(name), value) {
                (Keyword::One(_) | Keyword::Listed(_), Value::Object(schema)) => {
                    self.find(schema, &pointer);
                },
                (Keyword::Listed(_), Value::Array(schemas)) => {
                    let schemas = schemas.iter().enumerate();
                    self.find_all(schemas.map(|(at, each)| (at.to_string(), each)), &pointer);
                },
                (Keyword::Named(_) | Keyword::Definitions, Value::Object(schemas)) => {
                    let schemas = schemas.iter();
                    self.find_all(schemas.map(|(at, each)| (escaped(at), each)), &pointer);
                },
                _ => {},
            }
        }
    }

    fn find_all<'a>(&mut self, all: impl Iterator<Item = (String, &'a Value)>, pointer: &str) {
        for (at, schema) in all {
            if let Value::Object(schema) = schema {
                self.find(schema, &format!("{pointer}/{at}"));
            }
        }
    }

    /// The pointer to the schema that `reference` leads to.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub(super) fn lead(&self, reference: &str) -> Result<String, String> {
        let shown = super::super::text::shortened(reference);
        let other = document(reference);
        if !other.is_empty() && self.document.as_deref() != Some(other) {
            return Err(format!(
                "points to another document, which is not supported: `{shown}`"
            ));
        }
        let fragment = reference
            .split_once('#')
            .map_or("", |(_, fragment)| fragment);
        if let Some(pointer) = self.schemas.get(fragment) {
            return Ok(pointer.clone());
        }
        let pointer =
            decoded(fragment).ok_or_else(|| format!("is not a JSON Pointer: `{shown}`"))?;
        if pointer.is_empty() || pointer.starts_with('/') {
            Ok(pointer)
        } else {
            Err(format!("does not point to a schema: `{shown}`"))
        }
    }
}

/// Whether `schema` names a document.
pub(super) fn is_of_document(schema: &Object) -> bool {
    id(schema).is_some_and(|id| !document(id).is_empty())
}

/// `pointer` as a reference.
pub(super) fn written(pointer: &str) -> String {
    let bytes = pointer.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'~' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        },
        other => format!("%{other:02X}"),
    });
    std::iter::once("#".to_owned()).chain(bytes).collect()
}

/// The name of a schema, in the words of draft 7 or of draft 4.
fn id(schema: &Object) -> Option<&str> {
    let id = schema.get("$id").or_else(|| schema.get("id"))?;
    id.as_str()
}

/// A name without its fragment.
fn document(name: &str) -> &str {
    name.split_once('#').map_or(name, |(document, _)| document)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// `fragment` without percent encoding; `None` when what is encoded is no text.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            },
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_lead_to_pointers() {
        let schema = json!({
            "$id": "http://example.test/a.json",
            "properties": {"id": {"type": "string"}, "a/b": {"$id": "#named"}},
        });
        let names = Names::read(schema.as_object().unwrap()).unwrap();
        for (reference, pointer) in [
            ("#", ""),
            ("#/definitions/a%20b", "/definitions/a b"),
            ("#named", "/properties/a~1b"),
            ("http://example.test/a.json", ""),
            ("http://example.test/a.json#/x", "/x"),
        ] {
            assert_eq!(names.lead(reference).as_deref(), Ok(pointer), "{reference}");
        }
        for reference in [
            "http://example.test/b.json",
            "file:///etc/passwd",
            "other.json#/x",
            "#unnamed",
            "#/%zz",
        ] {
            assert!(names.lead(reference).is_err(), "{reference}");
        }
    }

    #[test]
    fn pointers_are_written_as_references() {
        assert_eq!(written("/a b/~1µ"), "#/a%20b/~1%C2%B5");
    }
}
