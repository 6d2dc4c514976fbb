//! Validation of every response in the harness against the controller's own `OpenAPI` description.

use crate::reply::Reply;
use http::{Method, header};
use jsonschema::{Draft, Validator};
use portcullis_http::openapi;
use portcullis_http::path::{self, Api};
use portcullis_http::route::{RouteLookup, RouteTable};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

/// Prefix of schema references.
const SCHEMAS: &str = "#/components/schemas/";

static DOCUMENTS: LazyLock<BTreeMap<Api, Value>> = LazyLock::new(|| {
    let all = Api::DESCRIBED.into_iter();
    all.map(|api| {
        (
            api,
            serde_json::from_slice(&openapi::document(api).unwrap().json.plain).unwrap(),
        )
    })
    .collect()
});

/// Validators by API and schema.
type Validators = HashMap<(Api, String), Arc<Validator>>;

/// Cache of validators.
static VALIDATORS: LazyLock<Mutex<Validators>> = LazyLock::new(Mutex::default);

/// Validates a response against the description of its API.
///
/// # Panics
///
/// If the response does not match.
pub(crate) fn check(table: &RouteTable, method: &Method, raw_path: &str, reply: &Reply) {
    let target = path::resolve(raw_path, |api| table.serves(api));
    let RouteLookup::Found(route, _) = table.find(target.api, &target.path, method) else {
        return;
    };
    if !Api::DESCRIBED.contains(&target.api) {
        return;
    }
    if *method == Method::HEAD || reply.headers.contains_key(header::CONTENT_ENCODING) {
        return;
    }
    let complaint = find_mismatch(target.api, method, route.path, reply);
    if let Err(complaint) = complaint {
        panic!(
            "{method} {raw_path}: response {} does not match the description: {complaint}\n{}",
            reply.status,
            reply.text()
        );
    }
}

fn find_mismatch(api: Api, method: &Method, path: &str, reply: &Reply) -> Result<(), String> {
    let document = DOCUMENTS.get(&api).ok_or("the API is not described")?;
    let path = path.replace("{*", "{");
    let operation = &document["paths"][&path][method.as_str().to_ascii_lowercase()];
    let responses = &operation["responses"];
    let status = reply.status.as_str();
    let place = match &responses[status] {
        Value::Null if reply.status.as_u16() >= 400 => &responses["default"],
        Value::Null => return Err("the status is not described".to_owned()),
        named => named,
    };
    let response = match place["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')),
        None => Some(place),
    };
    let content = &response.ok_or("unresolved reference")?["content"];
    let media_type = media_type(reply);
    let media = content
        .get(&media_type)
        .ok_or_else(|| format!("the media type {media_type:?} is not described"))?;
    let Some(schema) = media.get("schema") else {
        return Ok(());
    };
    let body = serde_json::from_slice(&reply.body).map_err(|error| error.to_string())?;
    let faults: Vec<_> = validator(api, document, schema)
        .iter_errors(&body)
        .map(|error| format!("at {:?}: {error}", error.instance_path().to_string()))
        .collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n"))
    }
}

fn media_type(reply: &Reply) -> String {
    let value = reply.headers.get(header::CONTENT_TYPE);
    let value = value.map_or("", |value| value.to_str().unwrap());
    value.split(';').next().unwrap().trim().to_owned()
}

fn validator(api: Api, document: &Value, schema: &Value) -> Arc<Validator> {
    let key = (api, schema.to_string());
    if let Some(known) = VALIDATORS.lock().unwrap().get(&key) {
        return Arc::clone(known);
    }
    let all = document["components"]["schemas"].as_object().unwrap();
    let mut names = BTreeSet::new();
    collect_references(schema, all, &mut names);
    let needed: Map<_, _> = names
        .into_iter()
        .map(|name| (name.clone(), all[&name].clone()))
        .collect();
    let mut whole = schema.clone();
    whole["components"] = json!({"schemas": needed});
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(&whole)
        .unwrap();
    let validator = Arc::new(validator);
    VALIDATORS.lock().unwrap().insert(key, validator.clone());
    validator
}

/// Collects the names of the schemas that a schema refers to, directly or not.
fn collect_references(schema: &Value, all: &Map<String, Value>, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = reference.and_then(|name| name.strip_prefix(SCHEMAS))
                && names.insert(name.to_owned())
            {
                collect_references(&all[name], all, names);
            }
            members
                .values()
                .for_each(|member| collect_references(member, all, names));
        },
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, all, names)),
        _ => {},
    }
}
