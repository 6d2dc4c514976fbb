//! `OpenAPI` 3.1 descriptions of the APIs, generated from their routes, one document per API.
//!
//! Nothing is written down twice. Paths, methods, permissions, media types, parameters and
//! responses come from the [routes]; the schemas of responses from the serialized types; the
//! schemas of requests from probing their decoders ([`portcullis_api::describe`]). Only the texts
//! are added: those in `operations` and doc comments.

mod access;
mod descriptions;
mod inherit_descriptions;
mod normalize;
mod operation;
mod operation_names;
mod operations;
mod resource_names;
mod schemas;
mod yaml;

pub(crate) use operation_names::to_camel_case;

use crate::path::Api;
use crate::response::Static;
use crate::route::Route;
use crate::routes::{self, API_LEVEL};
use http::Method;
use portcullis_api::envelope::Envelope;
use portcullis_api::json;
use schemas::Schemas;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::OnceLock;

#[derive(Debug, Clone)]
pub struct Document {
    pub json: Static,
    pub yaml: Static,
    /// The YAML as a string in an envelope, for clients that accept only JSON.
    pub enveloped: Static,
}

type Documents = BTreeMap<Api, Document>;

/// The documents, built when the first one is requested.
static DOCUMENTS: OnceLock<Documents> = OnceLock::new();

fn documents() -> &'static Documents {
    DOCUMENTS.get_or_init(|| {
        let routes = routes::all();
        described_apis(&routes)
            .map(|api| (api, Document::build(api, &routes)))
            .collect()
    })
}

/// Returns the description of an API; `None` if it has no operations. The first call takes a while.
pub fn document(api: Api) -> Option<&'static Document> {
    documents().get(&api)
}

/// Reports whether the descriptions are built, so that [`document`] returns at once.
pub(crate) fn is_ready() -> bool {
    DOCUMENTS.get().is_some()
}

/// The APIs that have operations.
pub(crate) fn described_apis(routes: &[Route]) -> impl Iterator<Item = Api> {
    Api::ALL
        .into_iter()
        .filter(|api| routes.iter().any(|route| route.apis.contains(api)))
}

impl Document {
    fn build(api: Api, routes: &[Route]) -> Self {
        let value = render(api, routes);
        let yaml = yaml::to_yaml(&value);
        Self {
            json: Static::new(value.to_string()),
            enveloped: Static::new(json::to_bytes(&Envelope::new(&yaml))),
            yaml: Static::new(yaml),
        }
    }
}

fn render(api: Api, routes: &[Route]) -> Value {
    let mut schemas = Schemas::default();
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let served = routes.iter().filter(|route| route.apis.contains(&api));
    for route in served.filter(|route| route.method != Method::HEAD) {
        let operation = operation::describe(api, route, &mut schemas);
        let path = paths.entry(path_template(route.path)).or_default();
        path.insert(route.method.as_str().to_ascii_lowercase(), operation);
    }
    let error_responses = operation::error_responses(&mut schemas);
    serde_json::json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("Portcullis, {}", descriptions::title(api)),
            "version": API_LEVEL,
            "description": descriptions::INTRODUCTION,
        },
        "servers": [{"url": api.base_path()}],
        "paths": paths,
        "components": {
            "schemas": schemas.finish(&paths),
            "responses": error_responses,
            "securitySchemes": access::security_schemes(),
        },
    })
}

/// Converts a route's path to `OpenAPI`, which has no multi-segment parameters.
fn path_template(path: &str) -> String {
    path.replace("{*", "{")
}

#[cfg(test)]
mod tests;
