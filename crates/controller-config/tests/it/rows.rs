//! The table of keys says what the reader does: each row is held against it.

use portcullis_controller_config::{ControllerFile, ReadOutcome, explain, read, schema};
use portcullis_events::{Namespace, option_names};
use portcullis_key_table::{KeyMatch, KeyState, ValueType, parse_value, visit_keys};
use portcullis_yaml::Severity;
use portcullis_yaml::syntax::GoDuration;
use serde_json::{Value as Json, json};

use crate::no_variables;

/// What stands for the value of a row until its text is put there.
const PLACE: &str = "@";

/// A file that says everything it must, whose addresses are those of the examples.
fn smallest() -> Json {
    json!({
        "v": 3,
        "db": "ctrl.db",
        "identity": { "cert": "a.pem", "key": "a.key", "ca": "cas.pem" },
        "ctrl": { "listener": "tls:0.0.0.0:6262" },
        "edge": {
            "api": { "address": "ctrl.example.test:1280" },
            "enrollment": {
                "signingCert": { "cert": "s.pem", "key": "s.key" },
                "edgeIdentity": {},
                "edgeRouter": {},
            },
        },
        "web": [{
            "name": "all",
            "bindPoints": [{ "interface": "0.0.0.0:1280", "address": "ctrl.example.test:1280" }],
            "apis": [{ "binding": "edge-client" }],
        }],
    })
}

/// What a section or an item of a list has to have when it is added for a row.
fn section_for(path: &str) -> Json {
    let identity =
        json!({ "cert": "w.pem", "key": "w.key", "server_cert": "ws.pem", "ca": "wca.pem" });
    let files = json!({ "path": "console", "location": "/opt/console" });
    match path {
        "cluster" => json!({ "dataDir": "raft" }),
        "events.NAME" => json!({
            "subscriptions": [{ "type": "router" }],
            "handler": { "type": "file", "format": "json", "path": "events.json" },
        }),
        "otlp" => json!({ "endpoint": "http://localhost:4318" }),
        "web[].identity" => identity,
        path if path.ends_with("alt_server_certs[]") => json!({ "server_cert": "alt.pem" }),
        "web[].apis[metrics].options" => json!({ "scrapeCert": "scraper.pem" }),
        "web[].apis[spa].options" | "web[].apis[zac].options" => files,
        _ => json!({}),
    }
}

/// A type of event whose subscriptions have the option.
fn event_type_with(option: &str) -> &'static str {
    let has_it = |namespace: &Namespace| option_names(*namespace).contains(&option);
    let found = Namespace::ALL.into_iter().find(has_it);
    found.unwrap_or(Namespace::Router).as_str()
}

/// A file with what is above the key at a path; the key has the value, or is left out without one.
fn file_with(path: &str, value: Option<&str>) -> String {
    let mut file = smallest();
    let mut section = &mut file;
    let mut walked = String::new();
    let (above, name) = path.rsplit_once('.').unwrap_or(("", path));
    for step in above.split('.').filter(|step| !step.is_empty()) {
        let (key, item) = step.split_once('[').unwrap_or((step, ""));
        walked = format!("{walked}{}{step}", if walked.is_empty() { "" } else { "." });
        let members = section.as_object_mut().expect("sections are maps");
        if step == key {
            section = members.entry(key).or_insert_with(|| section_for(&walked));
            continue;
        }
        let items = members.entry(key).or_insert_with(|| json!([]));
        let items = items.as_array_mut().expect("items are in lists");
        match item.trim_end_matches(']') {
            "" if items.is_empty() => items.push(section_for(&walked)),
            "" => {},
            binding => {
                let options = section_for(&format!("{walked}.options"));
                items.insert(0, json!({ "binding": binding, "options": options }));
            },
        }
        section = items.first_mut().expect("there is an item");
    }
    let members = section.as_object_mut().expect("sections are maps");
    if above == "events.NAME.subscriptions[]" {
        members.insert("type".to_owned(), json!(event_type_with(name)));
    }
    match value {
        Some(_) => members.insert(name.to_owned(), json!(PLACE)),
        None => members.remove(name),
    };
    file.to_string()
        .replace(&format!("\"{PLACE}\""), value.unwrap_or_default())
}

/// The path as diagnostics give it.
fn reported(path: &str) -> String {
    let mut shown = String::new();
    for (number, part) in path.split('[').enumerate() {
        match part.split_once(']') {
            Some((_, rest)) if number > 0 => shown = format!("{shown}[0]{rest}"),
            _ => shown.push_str(part),
        }
    }
    shown
}

fn outcome(path: &str, value: Option<&str>) -> ReadOutcome {
    read(&[&file_with(path, value)], &no_variables)
}

/// Codes of what is said about the key.
fn codes(path: &str, value: Option<&str>) -> Vec<&'static str> {
    let about = reported(path);
    let outcome = outcome(path, value);
    let found = outcome.diagnostics.iter();
    let found = found.filter(|one| one.path.to_string() == about);
    found.map(|one| one.code).collect()
}

/// Codes of errors about the key and what is below it.
fn errors(path: &str, value: Option<&str>) -> Vec<String> {
    let about = reported(path);
    let outcome = outcome(path, value);
    let found = outcome.diagnostics.iter();
    let found = found
        .filter(|one| one.severity == Severity::Error && one.path.to_string().starts_with(&about));
    found.map(ToString::to_string).collect()
}

fn rows() -> Vec<(String, KeyMatch<ControllerFile>)> {
    let mut rows = Vec::new();
    visit_keys(&mut |path, found: KeyMatch<ControllerFile>| rows.push((path.to_owned(), found)));
    assert!(rows.len() > 150, "{}", rows.len());
    rows
}

fn active_rows() -> impl Iterator<Item = (String, KeyMatch<ControllerFile>)> {
    let rows = rows().into_iter();
    rows.filter(|(_, found)| found.key.state == KeyState::Active)
}

/// A value of another type than the row has.
fn wrong_type(of: ValueType<ControllerFile>) -> &'static str {
    match of {
        ValueType::Map(_)
        | ValueType::MapList(_)
        | ValueType::NamedMaps(_)
        | ValueType::Secrets
        | ValueType::BindingList(_)
        | ValueType::StringList(_)
        | ValueType::StringOrList(_) => "5",
        _ => "[[]]",
    }
}

#[test]
fn every_row_is_a_key_that_is_read() {
    for (path, found) in rows() {
        let codes = codes(&path, Some(wrong_type(found.key.value_type)));
        match found.key.state {
            KeyState::Active => {
                let is_read = codes.contains(&"wrong-type") || codes.contains(&"version");
                assert!(is_read, "{path}: {codes:?}");
            },
            _ => assert_eq!(codes, ["ignored-key"], "{path}"),
        }
    }
}

#[test]
fn rows_that_are_required_are_missed_and_no_others() {
    for (path, found) in active_rows() {
        // One of `db` and `cluster` has to be there, and a path for files alone.
        let is_missed = found.key.required || path == "db" || path == "events.NAME.handler.path";
        let expected: &[&str] = if is_missed { &["missing-key"] } else { &[] };
        assert_eq!(codes(&path, None), expected, "{path}");
    }
}

#[test]
fn defaults_are_those_of_the_reader() {
    for (path, found) in active_rows() {
        let Some(default) = found.key.default else {
            continue;
        };
        let without = outcome(&path, None);
        let with = outcome(&path, Some(default));
        let found = with.diagnostics.iter();
        let found: Vec<_> = found.map(ToString::to_string).collect();
        assert_eq!(found, [""; 0], "{path}");
        assert!(with.config.is_some(), "{path}");
        assert_eq!(with.config, without.config, "{path}");
    }
}

#[test]
fn examples_are_good_values() {
    for (path, found) in active_rows() {
        let is_section = matches!(
            found.key.value_type,
            ValueType::Map(_)
                | ValueType::NamedMaps(_)
                | ValueType::MapList(_)
                | ValueType::BindingList(_)
        );
        match found.key.example {
            Some(example) => assert_eq!(errors(&path, Some(example)), [""; 0], "{path}"),
            None => assert!(is_section, "{path} has no example"),
        }
    }
}

#[test]
fn bounds_are_those_of_the_reader() {
    // Their bounds depend on another value too.
    let depends = |path: &str| path.contains("Per") || path.ends_with("refreshTokenDuration");
    let mut checked = 0;
    for (path, found) in active_rows() {
        let (text, min, max): (fn(i64) -> String, _, _) = match found.key.value_type {
            ValueType::Integer { min, max, .. } => (|number| number.to_string(), min, max),
            ValueType::Duration { min, max } => (
                |number| GoDuration::from_nanoseconds(number).to_string(),
                min,
                max,
            ),
            _ => continue,
        };
        checked += 1;
        if min > 0 {
            assert_ne!(codes(&path, Some(&text(min - 1))), [""; 0], "{path}");
            if !path.ends_with("refreshTokenDuration") {
                assert_eq!(codes(&path, Some(&text(min))), [""; 0], "{path}");
            }
        }
        if max < i64::MAX {
            assert_ne!(codes(&path, Some(&text(max + 1))), [""; 0], "{path}");
            if !depends(&path) {
                assert_eq!(codes(&path, Some(&text(max))), [""; 0], "{path}");
            }
        }
    }
    assert!(checked > 25, "{checked}");
}

#[test]
fn words_are_those_of_the_reader() {
    for (path, found) in active_rows() {
        let ValueType::Enum(words) = found.key.value_type else {
            continue;
        };
        for word in words {
            assert_eq!(errors(&path, Some(word)), [""; 0], "{path}: {word}");
        }
        assert_eq!(codes(&path, Some("other")), ["invalid-value"], "{path}");
    }
}

#[test]
fn every_row_is_explained() {
    for (path, found) in rows() {
        let explanations = explain(&path).expect("the path names a key");
        assert!(
            explanations.iter().any(|one| one.doc == found.key.doc),
            "{path}"
        );
        let is_sentence = found.key.state != KeyState::Active || found.key.doc.ends_with('.');
        assert!(is_sentence, "{path}: {}", found.key.doc);
    }
    let error = explain("edge.api.adress").expect_err("there is no such key");
    assert_eq!(
        error.to_string(),
        "`api` has no key `adress`; did you mean `address`?"
    );
}

/// The schema and the reader know the same keys, and call the same of them required.
#[test]
fn schema_agrees_with_the_rows() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    let is_valid =
        |path: &str, value: Option<&str>| validator.is_valid(&to_json(&file_with(path, value)));
    for (path, found) in active_rows() {
        // One of `db` and `cluster` has to be there, which the schema does not say.
        assert_eq!(is_valid(&path, None), !found.key.required, "{path}");
        if let Some(example) = found.key.example {
            assert!(is_valid(&path, Some(example)), "{path}: {example}");
        }
        if let Some(default) = found.key.default {
            assert!(is_valid(&path, Some(default)), "{path}: {default}");
        }
        let wrong = wrong_type(found.key.value_type);
        assert!(!is_valid(&path, Some(wrong)), "{path}: {wrong}");
        if matches!(found.key.value_type, ValueType::Map(_)) {
            assert!(!is_valid(&format!("{path}.nonsense"), Some("1")), "{path}");
        }
    }
    assert!(!is_valid("nonsense", Some("1")));
}

/// A file as JSON.
fn to_json(text: &str) -> Json {
    parse_value(text).expect("it is YAML")
}
