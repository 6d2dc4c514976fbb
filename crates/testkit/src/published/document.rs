//! The published documents.

use super::DOCUMENTS;
use super::adapted::adapted;
use jsonschema::{Draft, Validator};
use portcullis_http::path::Api;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A published document.
pub(super) struct Document {
    paths: Value,
    produces: Vec<String>,
    definitions: Map<String, Value>,
    /// By the name of the definition.
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

/// The document of an API, if it has one and that is there.
pub(super) fn described(api: Api) -> Option<&'static Document> {
    static DESCRIBED: [LazyLock<Option<Document>>; DOCUMENTS.len()] = [
        LazyLock::new(|| Document::read(DOCUMENTS[0].1)),
        LazyLock::new(|| Document::read(DOCUMENTS[1].1)),
    ];
    let index = DOCUMENTS.iter().position(|(of, _)| *of == api)?;
    DESCRIBED[index].as_ref()
}

/// The folder with the documents, beside the repository.
fn folder() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/spec"))
        .find(|found| found.is_dir())
}

impl Document {
    fn read(name: &str) -> Option<Self> {
        let text = std::fs::read_to_string(folder()?.join(name)).ok()?;
        let mut document: Value = serde_yaml::from_str(&text).unwrap();
        let produces = strings(&document["produces"]);
        Some(Self {
            paths: document["paths"].take(),
            produces,
            definitions: adapted(document["definitions"].as_object().unwrap()),
            validators: Mutex::default(),
        })
    }

    /// An operation by method and path.
    pub(super) fn operation(&self, operation: &str) -> Option<&Value> {
        let (method, path) = operation.split_once(' ')?;
        self.paths.get(path)?.get(method.to_lowercase())
    }

    /// The media types of an operation's answers.
    pub(super) fn produces(&self, operation: &Value) -> Vec<String> {
        let own = strings(&operation["produces"]);
        if own.is_empty() {
            self.produces.clone()
        } else {
            own
        }
    }

    /// Whether there is a definition, or a part of one.
    #[cfg(test)]
    pub(super) fn defines(&self, place: &str) -> bool {
        let (name, rest) = place.split_once('/').unwrap_or((place, ""));
        let part = |definition: &Value| match rest {
            "" => true,
            rest => definition.pointer(&format!("/{rest}")).is_some(),
        };
        self.definitions.get(name).is_some_and(part)
    }

    /// What validates values of a definition.
    pub(super) fn validator(&self, name: &str) -> Arc<Validator> {
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
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

    /// Adds a definition and all that it refers to.
    fn collect(&self, name: &str, needed: &mut Map<String, Value>) {
        if needed.contains_key(name) {
            return;
        }
        let definition = self.definitions.get(name);
        let definition = definition.unwrap_or_else(|| panic!("{name} is not defined"));
        needed.insert(name.to_owned(), definition.clone());
        references(definition, &mut |name| self.collect(name, needed));
    }
}

/// The way to a definition.
pub(super) fn reference(name: &str) -> String {
    format!("#/definitions/{name}")
}

/// The name of a definition that a schema refers to.
pub(super) fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/definitions/")
}

/// Calls `each` with the name of every definition that is referred to.
fn references(schema: &Value, each: &mut dyn FnMut(&str)) {
    if let Some(name) = referred(schema) {
        each(name);
    }
    match schema {
        Value::Array(parts) => parts.iter().for_each(|part| references(part, each)),
        Value::Object(members) => members.values().for_each(|part| references(part, each)),
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
