//! The recorded behavior of OpenZiti, and what the specification demands, through the binary.

use crate::router_config_support::{RouterConfigFiles, lines};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use support::repository;

/// The environment in which the behavior was recorded.
const ENVIRONMENT: &str = "\
RC_ADDR=tls:ctrl.example:6262
RC_HOST=ctrl.example
RC_PORT=6262
RC_NUM=5
RC_BOOL=true
RC_DUR=30s
RC_EMPTY=
RC_YAML=a: b
RC_MODE=host
RC_NAME=RC_HOST
RC_TRANSPORT=transport
RC_KEY=idleTxInterval
RC_HOME=/var/lib/router
TMP=/tmp
TEMP=/tmp
TMPDIR=/tmp
";

/// Cases and what is said about each, by one norm.
fn judged(norm: &str) -> Vec<(Value, Value)> {
    let Some(path) = repository::shared("spec/router-diff/cases.jsonl") else {
        return vec![];
    };
    let records = fs::read_to_string(path).unwrap();
    let cases: Vec<Value> = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let files = RouterConfigFiles::new();
    files.write("recorded.env", ENVIRONMENT);
    let mut names = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let name = format!("{number}.yml");
        files.write(&name, bytes(case));
        names.push(name);
    }
    let mut found = Vec::new();
    for names in names.chunks(600) {
        let mut arguments = vec!["check", "--format", "json", "--as", norm];
        arguments.extend(["--env-file", "recorded.env"]);
        arguments.extend(names.iter().map(String::as_str));
        let outcome = files.run(&arguments);
        assert_eq!(outcome.stderr, "");
        let lines = lines(&outcome);
        let accepts = lines.iter().all(|line| line["verdict"] == "accept");
        assert_eq!(outcome.code(), i32::from(!accepts));
        for (name, line) in names.iter().zip(&lines) {
            assert_eq!(line["file"], name.as_str());
        }
        found.extend(lines);
    }
    assert_eq!(found.len(), cases.len());
    cases.into_iter().zip(found).collect()
}

fn bytes(case: &Value) -> Vec<u8> {
    match case["yaml"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => STANDARD
            .decode(case["yaml_base64"].as_str().unwrap())
            .unwrap(),
    }
}

#[test]
fn openziti_does_what_was_recorded() {
    for (case, line) in judged("openziti") {
        // Which interfaces and names there were is not known here.
        if case["depends_on"].is_null() {
            let recorded = &case["openziti"]["verdict"];
            assert_eq!(
                &line["verdict"], recorded,
                "{} {}",
                case["id"], case["what"]
            );
        }
    }
}

#[test]
fn demands_of_the_specification_are_met() {
    for (case, line) in judged("portcullis") {
        let demand = &case["spec_expectation"];
        if demand.is_null() {
            continue;
        }
        let about = format!("{} {}: {line}", case["id"], case["what"]);
        assert_eq!(line["verdict"], demand["verdict"], "{about}");
        if demand["verdict"] == "refuse" {
            let also = demand["also"].as_array().into_iter().flatten();
            for place in std::iter::once(demand).chain(also) {
                assert!(is_found(&line, place), "{place} in {about}");
            }
        }
    }
}

/// Whether there is an error at a key, and on the line if one is prescribed.
fn is_found(line: &Value, place: &Value) -> bool {
    let findings = line["findings"].as_array().unwrap();
    findings.iter().any(|finding| {
        finding["severity"] == "error"
            && (place["key_path"].is_null() || finding["path"] == place["key_path"])
            && (place["line"].is_null() || finding["line"] == place["line"])
    })
}
