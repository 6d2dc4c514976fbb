//! The descriptions of the APIs, made from their routes: `OpenAPI` 3.1, one document for each API.
//!
//! Nothing is written down twice. Paths, methods, permissions, media types, parameters and answers
//! are those of the [routes]; the schemas of answers are those of the types that are
//! written; the schemas of requests are found out by having them read
//! ([`portcullis_api::describe`]). What is left are the words for it: `said` and doc comments.

mod access;
mod lend;
mod names;
mod nouns;
mod operation;
mod said;
mod schemas;
mod tidy;
mod words;
mod yaml;

use crate::answer::Fixed;
use crate::path::Api;
use crate::route::Route;
use crate::routes::{self, API_LEVEL};
use http::Method;
use portcullis_api::envelope::Envelope;
use portcullis_api::json;
use schemas::Schemas;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The description of an API.
#[derive(Debug, Clone)]
pub struct Document {
    /// As JSON.
    pub json: Fixed,
    /// As YAML.
    pub yaml: Fixed,
    /// The YAML as a text in an envelope, for those who take JSON alone.
    pub enveloped: Fixed,
}

type Documents = BTreeMap<Api, Document>;

/// The documents, made when the first one is asked for.
static DOCUMENTS: OnceLock<Documents> = OnceLock::new();

fn all() -> &'static Documents {
    DOCUMENTS.get_or_init(|| {
        let routes = routes::all();
        described(&routes)
            .map(|api| (api, Document::of(api, &routes)))
            .collect()
    })
}

/// The description of an API; none of one without operations. The first call takes a while.
pub fn document(api: Api) -> Option<&'static Document> {
    all().get(&api)
}

/// Reports whether the descriptions are there, so that [`document`] takes no time.
pub(crate) fn is_ready() -> bool {
    DOCUMENTS.get().is_some()
}

/// The APIs that have operations.
pub(crate) fn described(routes: &[Route]) -> impl Iterator<Item = Api> {
    Api::ALL
        .into_iter()
        .filter(|api| routes.iter().any(|route| route.apis.contains(api)))
}

impl Document {
    fn of(api: Api, routes: &[Route]) -> Self {
        let value = render(api, routes);
        let yaml = yaml::text(&value);
        Self {
            json: Fixed::new(value.to_string()),
            enveloped: Fixed::new(json::to_bytes(&Envelope::new(&yaml))),
            yaml: Fixed::new(yaml),
        }
    }
}

/// The description of an API.
fn render(api: Api, routes: &[Route]) -> Value {
    let mut schemas = Schemas::default();
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let here = routes.iter().filter(|route| route.apis.contains(&api));
    for route in here.filter(|route| route.method != Method::HEAD) {
        let operation = operation::describe(api, route, &mut schemas);
        let path = paths.entry(template(route.path)).or_default();
        path.insert(route.method.as_str().to_ascii_lowercase(), operation);
    }
    let refusals = operation::refusals(&mut schemas);
    serde_json::json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("Portcullis, {}", words::title(api)),
            "version": API_LEVEL,
            "description": words::ABOUT,
        },
        "servers": [{"url": api.base()}],
        "paths": paths,
        "components": {
            "schemas": schemas.finish(&paths),
            "responses": refusals,
            "securitySchemes": access::schemes(),
        },
    })
}

/// The path of a route as `OpenAPI` has it, which knows no parameter of several segments.
fn template(path: &str) -> String {
    path.replace("{*", "{")
}

#[cfg(test)]
mod tests;
