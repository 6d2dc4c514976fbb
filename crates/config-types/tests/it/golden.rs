//! What the recorded exchanges show.

use crate::support::{compile, named, object, schema_of};
use portcullis_config_types::Schema;
use serde_json::{Value, json};
use std::path::Path;

fn steps(name: &str) -> Option<Vec<Value>> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/golden"))
        .find(|folder| folder.is_dir());
    let Some(golden) = golden else {
        println!("skipped: the recorded exchanges are not beside the repository");
        return None;
    };
    let text = std::fs::read_to_string(golden.join(name)).unwrap();
    let mut recording: Value = serde_json::from_str(&text).unwrap();
    serde_json::from_value(recording["steps"].take()).unwrap()
}

/// Every type that an answer shows, wherever it stands there.
fn shown(answer: &Value, found: &mut Vec<Value>) {
    match answer {
        Value::Array(items) => items.iter().for_each(|item| shown(item, found)),
        Value::Object(members) if members.contains_key("schema") => found.push(answer.clone()),
        Value::Object(members) => members.values().for_each(|value| shown(value, found)),
        _ => {},
    }
}

/// A schema without what it tells people, which is ours.
fn untold(schema: Value) -> Value {
    match schema {
        Value::Array(items) => items.into_iter().map(untold).collect(),
        Value::Object(members) => {
            let checked = members
                .into_iter()
                .filter(|(name, _)| name != "description");
            let checked = checked.map(|(name, value)| (name, untold(value)));
            Value::Object(checked.collect())
        },
        value => value,
    }
}

#[test]
fn built_in_types_check_what_the_recorded_ones_do() {
    let mut compared = 0;
    for file in ["configs.json", "cli-services-and-policies.json"] {
        let Some(steps) = steps(file) else { return };
        let mut types = Vec::new();
        for step in steps {
            shown(&step["response"]["body"]["data"], &mut types);
        }
        for recorded in types {
            if recorded["name"]
                .as_str()
                .is_some_and(|name| name.contains("<run>"))
            {
                continue;
            }
            let own = named(recorded["name"].as_str().unwrap());
            assert_eq!(own.id.as_str(), recorded["id"]);
            assert_eq!(json!(own.spec.target.name()), recorded["target"]);
            let (schema, recorded) = (json!(own.spec.schema), recorded["schema"].clone());
            assert_eq!(untold(schema), untold(recorded), "{}", own.spec.name);
            compared += 1;
        }
    }
    assert!(
        compared >= 3,
        "the recordings show host.v1 and intercept.v1"
    );
}

/// The configurations and schemas of recorded requests are accepted or refused as recorded, with
/// the recorded field and value.
#[test]
fn recorded_requests_have_the_recorded_outcome() {
    let Some(steps) = steps("configs.json") else {
        return;
    };
    let own = steps
        .iter()
        .find(|step| step["name"] == "create type with schema");
    let own = compile(own.unwrap()["request"]["body"]["schema"].clone()).unwrap();
    let mut outcomes = Vec::new();
    for step in &steps {
        let body = &step["request"]["body"];
        let outcome = match (step["path"].as_str().unwrap(), body) {
            (path, body) if path.starts_with("/config-types") && body["schema"].is_object() => {
                compile(body["schema"].clone()).map(|_| ())
            },
            (path, body) if path.starts_with("/configs") && body["data"].is_object() => {
                let data = object(body["data"].clone());
                match body["configTypeId"].as_str() {
                    Some("NH5p4FpGR") => schema_of("host.v1").validate(&data).map(|_| ()),
                    Some("g7cIWbcGg") => schema_of("intercept.v1").validate(&data).map(|_| ()),
                    Some("<id:t1>") => Schema::ANY.validate(&data).map(|_| ()),
                    Some("<id:t2>") | None => own.validate(&data).map(|_| ()),
                    // The type is not there, which is not for schemas to say.
                    Some(_) => continue,
                }
            },
            _ => continue,
        };
        let name = step["name"].as_str().unwrap();
        let cause = &step["response"]["body"]["error"]["cause"];
        match outcome {
            Ok(()) => assert!(cause.is_null(), "{name} was refused"),
            Err(error) => {
                assert_eq!(error.field, cause["field"], "{name}");
                assert_eq!(error.value, cause["value"], "{name}");
                assert!(!error.reason.is_empty());
            },
        }
        outcomes.push(name);
    }
    assert!(outcomes.len() >= 14, "{outcomes:?}");
}
