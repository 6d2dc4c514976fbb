//! The schemas of a description.

use super::lend::{follow, lend};
use super::tidy::{called, rename, tidy};
use crate::route::SchemaOf;
use portcullis_api::describe::Request;
use portcullis_api::error::{BareError, ErrorBody};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where schemas stand, as references have it.
pub(super) const PLACE: &str = "#/components/schemas/";

/// Collects the schemas of a description.
pub(super) struct Schemas {
    answers: SchemaGenerator,
    requests: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let settings = settings.with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self {
            answers: settings.into_generator(),
            requests: Map::new(),
        }
    }
}

impl Schemas {
    /// The schema of an answer, or a reference to it.
    pub(super) fn answer(&mut self, schema: SchemaOf) -> Value {
        let mut schema = schema(&mut self.answers).to_value();
        rename(&mut schema);
        schema
    }

    /// The schema of refusals.
    pub(super) fn refusal(&mut self) -> Value {
        self.answer(SchemaGenerator::subschema_for::<ErrorBody>)
    }

    /// The schema of refusals of bodies that are too large.
    pub(super) fn bare_refusal(&mut self) -> Value {
        self.answer(SchemaGenerator::subschema_for::<BareError>)
    }

    /// A reference to the schema of a request.
    pub(super) fn request(&mut self, request: &Request) -> Value {
        let known = self.requests.entry(request.name.clone());
        known.or_insert_with(|| request.schema.clone());
        reference(&request.name)
    }

    /// All schemas, by their names. Members of requests that have no words get those of the members
    /// that the answers about the same noun have under that name.
    pub(super) fn finish(mut self, paths: &BTreeMap<String, Map<String, Value>>) -> Value {
        let definitions = self.answers.take_definitions(true);
        let mut all: Map<_, _> = definitions
            .into_iter()
            .map(|(name, schema)| (called(&name), schema))
            .collect();
        all.values_mut().for_each(tidy);
        for (path, operations) in paths {
            let Some(answer) = entity(path, paths).and_then(|schema| follow(schema, &all)) else {
                continue;
            };
            for operation in operations.values() {
                let named = operation
                    .pointer("/requestBody/content/application~1json/schema/$ref")
                    .and_then(Value::as_str)
                    .and_then(|name| name.strip_prefix(PLACE));
                if let Some(request) = named.and_then(|name| self.requests.get_mut(name)) {
                    lend(request, answer, &all);
                }
            }
        }
        all.extend(self.requests);
        all.into()
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("{PLACE}{name}")})
}

/// The schema of the answer, in its envelope, that shows what `path` is about: of the nearest path
/// above it that shows something.
fn entity<'p>(path: &str, paths: &'p BTreeMap<String, Map<String, Value>>) -> Option<&'p Value> {
    let shown = |path: &str| {
        let answers = &paths.get(path)?.get("get")?["responses"];
        answers.pointer("/200/content/application~1json/schema")
    };
    let mut path = path;
    while !path.is_empty() {
        let found = shown(&format!("{path}/{{id}}")).or_else(|| shown(path));
        if found.is_some() {
            return found;
        }
        path = path.rsplit_once('/').map_or("", |(above, _)| above);
    }
    None
}
