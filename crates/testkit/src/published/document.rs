//! Published API documents.

use super::DOCUMENTS;
use super::json_schema::to_json_schema;
use jsonschema::{Draft, Validator};
use parking_lot::Mutex;
use portcullis_http::path::Api;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

pub(super) struct Document {
    paths: Value,
    produces: Vec<String>,
    definitions: Map<String, Value>,
    /// By name of the definition.
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

/// The document of an API, if it has one and the file exists.
pub(super) fn published_document(api: Api) -> Option<&'static Document> {
    static DESCRIBED: [LazyLock<Option<Document>>; DOCUMENTS.len()] = [
        LazyLock::new(|| Document::read(DOCUMENTS[0].1)),
        LazyLock::new(|| Document::read(DOCUMENTS[1].1)),
    ];
    let index = DOCUMENTS.iter().position(|(of, _)| *of == api)?;
    DESCRIBED[index].as_ref()
}

/// The folder with the documents, beside the repository.
fn spec_folder() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/spec"))
        .find(|found| found.is_dir())
}

impl Document {
    fn read(name: &str) -> Option<Self> {
        let text = std::fs::read_to_string(spec_folder()?.join(name)).ok()?;
        let mut document: Value = serde_yaml::from_str(&text).unwrap();
        let produces = strings(&document["produces"]);
        Some(Self {
            paths: document["paths"].take(),
            produces,
            definitions: to_json_schema(document["definitions"].as_object().unwrap()),
            validators: Mutex::default(),
        })
    }

    /// Finds an operation by method and path.
    pub(super) fn operation(&self, operation: &str) -> Option<&Value> {
        let (method, path) = operation.split_once(' ')?;
        self.paths.get(path)?.get(method.to_lowercase())
    }

    /// The media types of an operation's responses.
    pub(super) fn produces(&self, operation: &Value) -> Vec<String> {
        let own = strings(&operation["produces"]);
        if own.is_empty() {
            self.produces.clone()
        } else {
            own
        }
    }

    /// Whether a definition, or a part of one, exists.
    #[cfg(test)]
    pub(super) fn defines(&self, place: &str) -> bool {
        let (name, rest) = place.split_once('/').unwrap_or((place, ""));
        let part = |definition: &Value| match rest {
            "" => true,
            rest => definition.pointer(&format!("/{rest}")).is_some(),
        };
        self.definitions.get(name).is_some_and(part)
    }

    /// The validator for a definition.
    pub(super) fn validator(&self, name: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock();
        let made = validators.entry(name.to_owned()).or_insert_with(|| {
            let mut needed = Map::new();
            self.collect(name, &mut needed);
            let schema = json!({"$ref": reference(name), "definitions": needed});
            let validator = jsonschema::options()
                .with_draft(Draft::Draft7)
                .should_validate_formats(true)
                .build(&schema);
            Arc::new(validator.unwrap())
        });
        made.clone()
    }

    /// Adds a definition and everything that it refers to.
    fn collect(&self, name: &str, needed: &mut Map<String, Value>) {
        if needed.contains_key(name) {
            return;
        }
        let definition = self.definitions.get(name);
        let definition = definition.unwrap_or_else(|| panic!("{name} is not defined"));
        needed.insert(name.to_owned(), definition.clone());
        for_each_reference(definition, &mut |name| self.collect(name, needed));
    }
}

/// Reference to a definition.
pub(super) fn reference(name: &str) -> String {
    format!("#/definitions/{name}")
}

/// Name of the definition that a schema refers to.
pub(super) fn referenced_name(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/definitions/")
}

/// Calls `each` with the name of every referenced definition.
fn for_each_reference(schema: &Value, each: &mut dyn FnMut(&str)) {
    if let Some(name) = referenced_name(schema) {
        each(name);
    }
    match schema {
        Value::Array(parts) => parts.iter().for_each(|part| for_each_reference(part, each)),
        Value::Object(members) => members
            .values()
            .for_each(|part| for_each_reference(part, each)),
        _ => {},
    }
}

fn strings(list: &Value) -> Vec<String> {
    let texts = list
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}
