//! Every answer that passes through the harness, held against the description that the controller
//! gives of itself.

use crate::reply::Reply;
use http::{Method, header};
use jsonschema::{Draft, Validator};
use portcullis_http::openapi;
use portcullis_http::path::{self, Api};
use portcullis_http::route::{Lookup, Table};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

/// Where schemas stand in a description.
const SCHEMAS: &str = "#/components/schemas/";

static DOCUMENTS: LazyLock<BTreeMap<Api, Value>> = LazyLock::new(|| {
    let all = Api::ALL.into_iter();
    all.filter_map(|api| Some((api, openapi::document(api)?)))
        .map(|(api, document)| (api, serde_json::from_slice(&document.json.plain).unwrap()))
        .collect()
});

/// Validators by API and schema.
type Validators = HashMap<(Api, String), Arc<Validator>>;

/// Those that were needed so far.
static VALIDATORS: LazyLock<Mutex<Validators>> = LazyLock::new(Mutex::default);

/// Holds an answer against the description of its API.
///
/// # Panics
///
/// When the answer is not as it is described.
pub(crate) fn check(table: &Table, method: &Method, raw_path: &str, reply: &Reply) {
    let target = path::resolve(raw_path, |api| table.serves(api));
    let Lookup::Found(route, _) = table.lookup(target.api, &target.path, method) else {
        return;
    };
    if *method == Method::HEAD || reply.headers.contains_key(header::CONTENT_ENCODING) {
        return;
    }
    let complaint = complaint(target.api, method, route.path, reply);
    if let Err(complaint) = complaint {
        panic!(
            "{method} {raw_path} answers {}, which is not as it is described: {complaint}\n{}",
            reply.status,
            reply.text()
        );
    }
}

fn complaint(api: Api, method: &Method, path: &str, reply: &Reply) -> Result<(), String> {
    let document = DOCUMENTS.get(&api).ok_or("the API is not described")?;
    let path = path.replace("{*", "{");
    let operation = &document["paths"][&path][method.as_str().to_ascii_lowercase()];
    let responses = &operation["responses"];
    let status = reply.status.as_str();
    let place = match &responses[status] {
        Value::Null if reply.status.as_u16() >= 400 => &responses["default"],
        Value::Null => return Err("the status is not named".to_owned()),
        named => named,
    };
    let response = match place["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')),
        None => Some(place),
    };
    let content = &response.ok_or("the reference leads nowhere")?["content"];
    let media_type = media_type(reply);
    let media = content
        .get(&media_type)
        .ok_or_else(|| format!("the media type {media_type:?} is not named"))?;
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
    needed(schema, all, &mut names);
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

/// The names of the schemas that a schema refers to, however indirectly.
fn needed(schema: &Value, all: &Map<String, Value>, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = reference.and_then(|name| name.strip_prefix(SCHEMAS))
                && names.insert(name.to_owned())
            {
                needed(&all[name], all, names);
            }
            members
                .values()
                .for_each(|member| needed(member, all, names));
        },
        Value::Array(items) => items.iter().for_each(|item| needed(item, all, names)),
        _ => {},
    }
}
