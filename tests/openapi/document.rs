//! The description of an API, made from its routes.
//!
//! Nothing is written down twice. Paths, methods, permissions, media types, parameters and responses
//! come from the routes; the schemas of responses from the serialized types; the schemas of requests
//! from probing their decoders. Only the texts are added: those in `operations` and doc comments.

use crate::schemas::Schemas;
use crate::{access, descriptions, operation};
use http::Method;
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_http::path::Api;
use portcullis_http::routes;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(crate) fn render(api: Api) -> Value {
    let mut schemas = Schemas::default();
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let routes = routes::all().into_iter();
    let served = routes.filter(|route| route.apis.contains(&api) && route.method != Method::HEAD);
    for route in served {
        let operation = operation::describe(api, &route, &mut schemas);
        let path = paths.entry(path_template(route.path)).or_default();
        path.insert(route.method.as_str().to_ascii_lowercase(), operation);
    }
    let error_responses = operation::error_responses(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("Portcullis, {}", descriptions::title(api)),
            "version": OPENZITI_LEVEL,
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
pub(crate) fn path_template(path: &str) -> String {
    path.replace("{*", "{")
}
