//! The descriptions of the APIs, made from what serves requests.
//!
//! Those in `docs/openapi`, which the controller serves, have to be the same. When an API changes,
//! `PORTCULLIS_BLESS=1` writes them again: look at the difference before committing it.

mod access;
mod descriptions;
mod document;
mod inherit_descriptions;
mod normalize;
mod operation;
mod operation_names;
mod operations;
mod request;
mod resource_names;
mod schemas;

use document::{path_template, render};
use http::Method;
use portcullis_http::path::Api;
use portcullis_http::route::BodySpec;
use portcullis_http::routes;
use request::RequestDescription;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

/// An API and the name of its description.
const FILES: [(Api, &str); 4] = [
    (Api::Client, "client.json"),
    (Api::Management, "management.json"),
    (Api::Fabric, "fabric.json"),
    (Api::HealthChecks, "health-checks.json"),
];

#[test]
fn descriptions_are_those_in_docs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi");
    for (api, name) in FILES {
        let made = format!("{:#}\n", render(api));
        let path = folder.join(name);
        if env::var_os("PORTCULLIS_BLESS").is_some() {
            fs::write(&path, &made).unwrap();
        }
        let known = fs::read_to_string(&path).unwrap();
        let differs = made
            .lines()
            .zip(known.lines())
            .find(|(made, known)| made != known);
        assert!(
            made == known,
            "docs/openapi/{name} is not what the API is: {differs:?}. If that is intended, run \
             `PORTCULLIS_BLESS=1 cargo test -p portcullis-tests --test openapi` and commit the file"
        );
    }
}

fn documents() -> [(Api, Value); 4] {
    FILES.map(|(api, _)| (api, render(api)))
}

/// The operations of a description: method, path, operation.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap();
        operations
            .iter()
            .map(|(method, operation)| (method.to_uppercase(), path.clone(), operation))
    });
    operations.collect()
}

#[test]
fn every_route_is_an_operation_and_every_operation_a_route() {
    for (api, document) in documents() {
        let routes: BTreeSet<_> = routes::all()
            .iter()
            .filter(|route| route.apis.contains(&api) && route.method != Method::HEAD)
            .map(|route| (route.method.to_string(), path_template(route.path)))
            .collect();
        let described = operations(&document)
            .into_iter()
            .map(|(method, path, _)| (method, path));
        assert_eq!(described.collect::<BTreeSet<_>>(), routes);
    }
}

#[test]
fn every_route_says_what_it_answers() {
    let routes = routes::all();
    let silent: Vec<_> = routes
        .iter()
        .filter(|route| route.is_implemented && route.description.response.is_none())
        .filter(|route| route.apis.iter().any(|api| Api::DESCRIBED.contains(api)))
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn operations_have_names_of_their_own() {
    for (api, document) in documents() {
        let mut names = BTreeSet::new();
        for (method, path, operation) in operations(&document) {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            let is_new = names.insert(name.clone());
            assert!(is_new, "{api:?} {method} {path}: {name} is there twice");
        }
    }
}

#[test]
fn words_are_about_operations_that_are_there() {
    let routes = routes::all();
    for (method, path, id, summary) in operations::OPERATIONS {
        let is_there = routes
            .iter()
            .any(|route| route.method == *method && route.path == *path);
        assert!(is_there, "{method} {path}");
        assert!(summary.ends_with('.'), "{id}");
    }
}

#[test]
fn requests_are_found_out_whole_and_their_members_have_words() {
    let requests = routes::all()
        .into_iter()
        .filter_map(|route| match (route.body)() {
            BodySpec::Json(decoder) | BodySpec::JsonOrText(decoder) => {
                Some(RequestDescription::new(&decoder))
            },
            BodySpec::Absent | BodySpec::Text => None,
        });
    let mut by_name = BTreeMap::new();
    for request in requests {
        assert_eq!(request.problems, [] as [&str; 0], "{}", request.name);
        let known = by_name.insert(request.name.clone(), request.schema.clone());
        let is_same = known.is_none_or(|known| known == request.schema);
        assert!(is_same, "two requests are called {}", request.name);
    }
    let mut undescribed = BTreeSet::new();
    for (_, document) in documents() {
        let schemas = &document["components"]["schemas"];
        for name in by_name.keys().filter(|name| !schemas[name].is_null()) {
            collect_undescribed(name, &schemas[name], &mut undescribed);
        }
    }
    assert_eq!(undescribed, BTreeSet::new(), "members without words");
}

fn collect_undescribed(path: &str, schema: &Value, silent: &mut BTreeSet<String>) {
    for kind in schema["oneOf"].as_array().into_iter().flatten() {
        collect_undescribed(path, kind, silent);
    }
    if schema["items"].is_object() {
        collect_undescribed(path, &schema["items"], silent);
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        collect_undescribed(&path, member, silent);
        if member["description"].is_null() {
            silent.insert(path);
        }
    }
}

#[test]
fn references_lead_somewhere_and_nothing_is_left_over() {
    for (api, document) in documents() {
        let mut used = BTreeSet::new();
        references(&document, &mut used);
        for reference in &used {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{api:?}: {reference}");
        }
        for name in document["components"]["schemas"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(
                used.contains(&format!("#/components/schemas/{name}")),
                "{api:?}: {name}"
            );
        }
    }
}

fn references(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                into.insert(reference.clone());
            }
            members.values().for_each(|member| references(member, into));
        },
        Value::Array(items) => items.iter().for_each(|item| references(item, into)),
        _ => {},
    }
}
