//! The verdict of the original against its recorded behavior.

use std::collections::BTreeMap;
use std::fs;

use portcullis_router_config::EffectiveConfig;
use portcullis_router_config::SourceFile;
use portcullis_router_config::openziti::{Evaluation, Machine, evaluate, load};
use serde_json::Value;

use crate::recorded::{MACHINE, bytes, cases, environment, lines, shared};

fn judged(judgment: &Evaluation) -> (Option<String>, Option<String>) {
    (
        Some(judgment.verdict.to_string()),
        judgment.stage.map(|stage| stage.to_string()),
    )
}

fn recorded(openziti: &Value) -> (Option<String>, Option<String>) {
    let text = |name: &str| openziti[name].as_str().map(str::to_owned);
    (text("verdict"), text("stage"))
}

#[test]
fn every_recorded_verdict_and_value_is_equal() {
    let Some(base) = shared("spec/router-diff/base.json") else {
        return;
    };
    let base: Value = serde_json::from_str(&fs::read_to_string(base).expect("it can be read"))
        .expect("it is JSON");
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in cases() {
        let file = bytes(&case);
        let (judgment, effective) = load(
            &SourceFile::new("router.yml", &file),
            &MACHINE.environment(&environment),
        );
        let mut wrong = Vec::new();
        let (found, expected) = (judged(&judgment), recorded(&case["openziti"]));
        if found != expected {
            let first = judgment
                .findings
                .first()
                .map(|finding| finding.diagnostic.to_string());
            wrong.push(format!(
                "{expected:?} expected, {found:?} found: {first:?}; {}",
                case["openziti"]["error"]
            ));
        }
        wrong.extend(differences(&effective, &case, &base));
        if !wrong.is_empty() {
            let area = case["area"].as_str().unwrap_or_default().to_owned();
            let line = format!("{} ({}): {}", case["id"], case["what"], wrong.join("; "));
            failures.entry(area).or_default().push(line);
        }
    }
    let count: usize = failures.values().map(Vec::len).sum();
    for (area, lines) in &failures {
        println!("== {area}: {}", lines.len());
        for line in lines {
            println!("{line}");
        }
    }
    assert_eq!(count, 0, "cases that differ");
}

/// Compares the values that were recorded, and those of the base that were not mentioned.
fn differences(effective: &EffectiveConfig, case: &Value, base: &Value) -> Vec<String> {
    let Some(changed) = case["openziti"]["effective"].as_object() else {
        return vec![];
    };
    let mut found = Vec::new();
    let ours = |path: &str| effective.get(path).map(|setting| &setting.value);
    for (path, expected) in changed {
        if !equal(ours(path), Some(expected)) {
            found.push(format!(
                "{path}: {expected} expected, {:?} found",
                ours(path)
            ));
        }
    }
    let name = case["openziti"]["effective_base"]
        .as_str()
        .unwrap_or_default();
    for (path, expected) in base[name].as_object().into_iter().flatten() {
        let mine = ours(path);
        if !changed.contains_key(path)
            && mine.is_some_and(is_recorded)
            && !equal(mine, Some(expected))
        {
            found.push(format!(
                "{path}: {expected} of the base expected, {mine:?} found"
            ));
        }
        if mine.is_none() && case["openziti"]["verdict"] == "accept" && !is_entry(path) {
            found.push(format!("{path} is missing"));
        }
    }
    found
}

/// Lists may have other entries than the base.
fn is_entry(path: &str) -> bool {
    path.contains('[')
        || path == "dialerBindings"
        || path == "identity.alt_server_certs"
        || path.starts_with("edge.")
}

/// Lists that were never made, and numbers that JSON cannot hold, are not among the recorded values.
fn is_recorded(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty())
}

fn sorted(list: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = list
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    names.sort_unstable();
    names
}

fn equal(left: Option<&Value>, right: Option<&Value>) -> bool {
    match (left, right) {
        (Some(Value::Number(left)), Some(Value::Number(right))) => {
            left == right || left.as_f64() == right.as_f64()
        },
        _ => left == right,
    }
}

#[test]
fn nothing_needs_to_be_known_of_the_machine_unless_the_verdict_depends_on_it() {
    for case in cases() {
        if case["depends_on"].is_null() {
            let file = bytes(&case);
            let text = SourceFile::new("router.yml", &file);
            let judgment = evaluate(&text, &Machine::new().environment(&environment));
            assert_eq!(
                judged(&judgment),
                recorded(&case["openziti"]),
                "{} {}",
                case["id"],
                case["what"]
            );
        }
    }
}

#[test]
fn real_files_are_judged_as_recorded() {
    let Some(path) = shared("spec/router-diff/real-files.jsonl") else {
        return;
    };
    let mut failures = Vec::new();
    for record in lines(&path) {
        let name = record["file"].as_str().expect("a name");
        let Some(file) = shared(&format!("spec/router-configs/{name}")) else {
            return;
        };
        let file = fs::read(file).expect("the file can be read");
        let (judgment, effective) = load(&SourceFile::new("router.yml", &file), &Machine::new());
        if judged(&judgment) != recorded(&record["openziti"]) {
            failures.push(format!(
                "{name}: {:?} {:?}",
                judged(&judgment),
                judgment.findings.first().map(|f| f.diagnostic.to_string())
            ));
        }
        for (path, expected) in record["openziti"]["effective"]
            .as_object()
            .into_iter()
            .flatten()
        {
            let mine = effective.get(path).map(|setting| &setting.value);
            // The original keeps bindings in a map without order.
            let same = match (path.as_str(), mine) {
                ("dialerBindings", Some(mine)) => sorted(mine) == sorted(expected),
                _ => equal(mine, Some(expected)) || path.ends_with("bindInterface"),
            };
            if !same {
                failures.push(format!(
                    "{name}: {path}: {expected} expected, {mine:?} found"
                ));
            }
        }
    }
    for failure in &failures {
        println!("{failure}");
    }
    assert!(failures.is_empty(), "{} differences", failures.len());
}
