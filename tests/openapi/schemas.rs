//! Schemas of a description.

use crate::inherit_descriptions::{envelope_data, inherit_descriptions};
use crate::normalize::{normalize, rename_reference, schema_name};
use crate::request::RequestDescription;
use portcullis_api::error::{BareError, ErrorBody};
use portcullis_http::route::SchemaFn;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Prefix of references to schemas.
pub(crate) const REF_PREFIX: &str = "#/components/schemas/";

pub(crate) struct Schemas {
    responses: SchemaGenerator,
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
            responses: settings.into_generator(),
            requests: Map::new(),
        }
    }
}

impl Schemas {
    /// Returns the schema of a response, or a reference to it.
    pub(crate) fn response(&mut self, schema: SchemaFn) -> Value {
        let mut schema = schema(&mut self.responses).to_value();
        rename_reference(&mut schema);
        schema
    }

    /// The schema of errors.
    pub(crate) fn error(&mut self) -> Value {
        self.response(SchemaGenerator::subschema_for::<ErrorBody>)
    }

    /// The schema of errors without an envelope.
    pub(crate) fn bare_error(&mut self) -> Value {
        self.response(SchemaGenerator::subschema_for::<BareError>)
    }

    /// Adds the schema of a request and returns a reference to it.
    pub(crate) fn request(&mut self, request: &RequestDescription) -> Value {
        let entry = self.requests.entry(request.name.clone());
        entry.or_insert_with(|| request.schema.clone());
        reference(&request.name)
    }

    /// Returns all schemas by name. Members of requests without a description inherit that of the
    /// response members of the same name.
    pub(crate) fn finish(mut self, paths: &BTreeMap<String, Map<String, Value>>) -> Value {
        let definitions = self.responses.take_definitions(true);
        let mut all: Map<_, _> = definitions
            .into_iter()
            .map(|(name, schema)| (schema_name(&name), schema))
            .collect();
        all.values_mut().for_each(normalize);
        for (path, operations) in paths {
            let Some(response) =
                find_entity_schema(path, paths).and_then(|schema| envelope_data(schema, &all))
            else {
                continue;
            };
            for operation in operations.values() {
                let named = operation
                    .pointer("/requestBody/content/application~1json/schema/$ref")
                    .and_then(Value::as_str)
                    .and_then(|name| name.strip_prefix(REF_PREFIX));
                if let Some(request) = named.and_then(|name| self.requests.get_mut(name)) {
                    inherit_descriptions(request, response, &all);
                }
            }
        }
        all.extend(self.requests);
        all.into()
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("{REF_PREFIX}{name}")})
}

/// Finds the response schema, with envelope, of the entity that `path` is about: that of the
/// nearest parent path with a GET.
fn find_entity_schema<'p>(
    path: &str,
    paths: &'p BTreeMap<String, Map<String, Value>>,
) -> Option<&'p Value> {
    let response_schema = |path: &str| {
        let responses = &paths.get(path)?.get("get")?["responses"];
        responses.pointer("/200/content/application~1json/schema")
    };
    let mut path = path;
    while !path.is_empty() {
        let found = response_schema(&format!("{path}/{{id}}")).or_else(|| response_schema(path));
        if found.is_some() {
            return found;
        }
        path = path.rsplit_once('/').map_or("", |(above, _)| above);
    }
    None
}
