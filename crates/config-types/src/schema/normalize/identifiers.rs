//! Identifiers by which references name schemas.

use super::keywords::Keyword;
use portcullis_domain::config::JsonObject;
use serde_json::Value;
use std::collections::BTreeMap;

/// Identifiers in a document.
#[derive(Debug, Default)]
pub(super) struct Identifiers {
    /// Id of the document, without fragment.
    document: Option<String>,
    /// Pointers to schemas with the id `#name`, by name.
    anchors: BTreeMap<String, String>,
}

impl Identifiers {
    /// Collects the identifiers of `schema`, whose depth has been checked.
    ///
    /// # Errors
    /// A message if an identifier is invalid.
    pub(super) fn read(schema: &JsonObject) -> Result<Self, String> {
        let mut names = Self::default();
        for keyword in ["$schema", "$id", "id"] {
            if schema.get(keyword).is_some_and(|name| !name.is_string()) {
                return Err(format!("`/{keyword}` must be a string"));
            }
        }
        names.document = id(schema).map(|id| without_fragment(id).to_owned());
        names.collect(schema, "");
        Ok(names)
    }

    fn collect(&mut self, schema: &JsonObject, pointer: &str) {
        if let Some(name) = id(schema).and_then(|id| id.strip_prefix('#')) {
            self.anchors.insert(name.to_owned(), pointer.to_owned());
        }
        for (name, value) in schema {
            let pointer = format!("{pointer}/{}", escape(name));
            match (Keyword::from_name(name), value) {
                (Keyword::Subschema(_) | Keyword::SubschemaList(_), Value::Object(schema)) => {
                    self.collect(schema, &pointer);
                },
                (Keyword::SubschemaList(_), Value::Array(schemas)) => {
                    let schemas = schemas.iter().enumerate();
                    self.collect_all(schemas.map(|(at, each)| (at.to_string(), each)), &pointer);
                },
                (Keyword::SubschemaMap(_) | Keyword::Definitions, Value::Object(schemas)) => {
                    let schemas = schemas.iter();
                    self.collect_all(schemas.map(|(at, each)| (escape(at), each)), &pointer);
                },
                _ => {},
            }
        }
    }

    fn collect_all<'a>(&mut self, all: impl Iterator<Item = (String, &'a Value)>, pointer: &str) {
        for (at, schema) in all {
            if let Value::Object(schema) = schema {
                self.collect(schema, &format!("{pointer}/{at}"));
            }
        }
    }

    /// Resolves `reference` to the pointer of a schema.
    ///
    /// # Errors
    /// A message if the reference is invalid.
    pub(super) fn resolve(&self, reference: &str) -> Result<String, String> {
        let shown = super::super::display::truncated(reference);
        let other = without_fragment(reference);
        if !other.is_empty() && self.document.as_deref() != Some(other) {
            return Err(format!(
                "points to another document, which is not supported: `{shown}`"
            ));
        }
        let fragment = reference
            .split_once('#')
            .map_or("", |(_, fragment)| fragment);
        if let Some(pointer) = self.anchors.get(fragment) {
            return Ok(pointer.clone());
        }
        let pointer =
            percent_decode(fragment).ok_or_else(|| format!("is not a JSON Pointer: `{shown}`"))?;
        if pointer.is_empty() || pointer.starts_with('/') {
            Ok(pointer)
        } else {
            Err(format!("does not point to a schema: `{shown}`"))
        }
    }
}

/// Whether the id of `schema` starts another document.
pub(super) fn names_document(schema: &JsonObject) -> bool {
    id(schema).is_some_and(|id| !without_fragment(id).is_empty())
}

/// `pointer` as a reference.
pub(super) fn to_reference(pointer: &str) -> String {
    let bytes = pointer.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'~' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        },
        other => format!("%{other:02X}"),
    });
    std::iter::once("#".to_owned()).chain(bytes).collect()
}

/// Id of a schema in draft 7 or draft 4.
fn id(schema: &JsonObject) -> Option<&str> {
    let id = schema.get("$id").or_else(|| schema.get("id"))?;
    id.as_str()
}

/// An id without its fragment.
fn without_fragment(name: &str) -> &str {
    name.split_once('#').map_or(name, |(document, _)| document)
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Decodes percent encoding; `None` if the result is not UTF-8.
fn percent_decode(fragment: &str) -> Option<String> {
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
        let names = Identifiers::read(schema.as_object().unwrap()).unwrap();
        for (reference, pointer) in [
            ("#", ""),
            ("#/definitions/a%20b", "/definitions/a b"),
            ("#named", "/properties/a~1b"),
            ("http://example.test/a.json", ""),
            ("http://example.test/a.json#/x", "/x"),
        ] {
            assert_eq!(
                names.resolve(reference).as_deref(),
                Ok(pointer),
                "{reference}"
            );
        }
        for reference in [
            "http://example.test/b.json",
            "file:///etc/passwd",
            "other.json#/x",
            "#unnamed",
            "#/%zz",
        ] {
            assert!(names.resolve(reference).is_err(), "{reference}");
        }
    }

    #[test]
    fn pointers_are_written_as_references() {
        assert_eq!(to_reference("/a b/~1µ"), "#/a%20b/~1%C2%B5");
    }
}
