//! The schema, held by an independent validator against its meta-schema and against files.

use std::fs;

use jsonschema::Validator;
use portcullis_router_config::{CheckOptions, SourceFile, Verdict, check, schema};
use portcullis_yaml::{Limits, Node, SourceId, Value as Yaml, decode, parse};
use serde_json::{Value, json};

use crate::recorded::{bytes, cases, environment, shared};

fn to_json(node: &Node) -> Value {
    match &node.value {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => json!(value),
        Yaml::Integer(number) => i64::try_from(*number).map_or(Value::Null, |number| json!(number)),
        Yaml::Float(number) => json!(number),
        Yaml::String(text) => json!(text),
        Yaml::List(items) => items.iter().map(to_json).collect(),
        Yaml::Map(map) => {
            let name = |key: &Node| key.text().unwrap_or_default().to_owned();
            Value::Object(
                map.iter()
                    .map(|entry| (name(&entry.key), to_json(&entry.value)))
                    .collect(),
            )
        },
    }
}

/// Gives the complaints of the validator about a file that [`check`] accepts.
fn complaints(validator: &Validator, file: &[u8]) -> Vec<String> {
    let text = SourceFile::new("router.yml", file);
    if check(&text, &CheckOptions::new().environment(&environment)).verdict != Verdict::Accept {
        return vec![];
    }
    let text = decode(file, SourceId::default()).expect("it was read before");
    let document =
        parse(&text, SourceId::default(), &Limits::default()).expect("it was read before");
    let complaint =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    validator
        .iter_errors(&to_json(&document.root))
        .map(complaint)
        .collect()
}

#[test]
fn the_schema_takes_every_file_that_is_accepted() {
    let schema = schema();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).expect("a schema");

    let mut failures = Vec::new();
    for case in cases() {
        for complaint in complaints(&validator, &bytes(&case)) {
            failures.push(format!("{}: {complaint}", case["id"]));
        }
    }
    if let Some(folder) = shared("spec/router-configs") {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let file = fs::read(entry.path()).expect("a file");
            for complaint in complaints(&validator, &file) {
                failures.push(format!("{}: {complaint}", entry.path().display()));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn the_schema_refuses_what_it_can_see() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let good = json!({
        "v": 3,
        "identity": { "cert": "a", "key": "b" },
        "ctrl": { "endpoint": "tls:a:1" },
        "listeners": [{ "binding": "edge", "bind": "tls:0.0.0.0:1", "advertise": "a:1" }],
    });
    assert!(validator.is_valid(&good));
    for (pointer, value) in [
        ("/v", json!(2)),
        ("/ctrl/endpoint", json!("a:1")),
        ("/ctrl/defaultRequestTimeout", json!("5")),
        ("/ctrl/endpont", json!("tls:a:1")),
        ("/forwarder", json!({ "linkDialWorkerCount": 0 })),
        ("/listeners/0/binding", json!("tunnel")),
        ("/listeners/0/options", json!({ "mode": "host" })),
        (
            "/link",
            json!({ "listeners": [{ "binding": "transport", "bind": "tls:a:1" }] }),
        ),
    ] {
        let mut bad = good.clone();
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        let parent = bad.pointer_mut(parent).expect("a parent");
        parent[name] = value;
        assert!(!validator.is_valid(&bad), "{pointer}");
    }
}

/// Holds defaults and examples against the schema that they stand in.
fn check_values(schema: &Value, path: &str, failures: &mut Vec<String>) {
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (name, property) in properties {
        let path = format!("{path}.{name}");
        let values = property["examples"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(property.get("default"));
        for value in values {
            if !jsonschema::is_valid(property, value) {
                failures.push(format!("{path}: {value}"));
            }
        }
        check_values(property, &path, failures);
        check_values(&property["items"], &path, failures);
        for variant in property["items"]["oneOf"].as_array().into_iter().flatten() {
            check_values(variant, &path, failures);
        }
    }
}

#[test]
fn every_default_and_example_fits_its_key() {
    let mut failures = Vec::new();
    let schema = schema();
    check_values(&schema, "", &mut failures);
    for (name, shared) in schema["$defs"].as_object().expect("shared parts") {
        check_values(shared, name, &mut failures);
    }
    assert!(
        schema.to_string().len() < 120_000,
        "it is small enough for an editor"
    );
    assert!(failures.is_empty(), "{failures:#?}");
}
