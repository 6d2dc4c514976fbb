//! The verdict of Portcullis against what the specification leaves no doubt about.

use std::collections::BTreeMap;

use portcullis_router_config::{CheckOptions, Finding, Report, SourceFile, check};
use portcullis_yaml::Severity;
use serde_json::Value;

use crate::recorded::{bytes, cases, environment};

fn errors(report: &Report) -> impl Iterator<Item = &Finding> {
    report
        .findings
        .iter()
        .filter(|finding| finding.diagnostic.severity == Severity::Error)
}

/// Tells whether an error is found at the key, and on the line if one is prescribed.
fn located(report: &Report, expected: &Value) -> bool {
    let path = expected["key_path"].as_str();
    let line = expected["line"].as_u64();
    errors(report).any(|finding| {
        let diagnostic = &finding.diagnostic;
        path.is_none_or(|path| diagnostic.path.dotted() == path)
            && line.is_none_or(|line| u64::from(diagnostic.line) == line)
    })
}

#[test]
fn every_expectation_of_the_specification_is_met() {
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in cases() {
        let expected = &case["spec_expectation"];
        if expected.is_null() {
            continue;
        }
        let file = bytes(&case);
        let report = check(
            &SourceFile::new("router.yml", &file),
            &CheckOptions::new().environment(&environment),
        );
        let also = expected["also"].as_array().cloned().unwrap_or_default();
        let mut wrong = Vec::new();
        if expected["verdict"] != report.verdict.to_string().as_str() {
            wrong.push(format!("{} expected", expected["verdict"]));
        } else if expected["verdict"] == "refuse" {
            for place in std::iter::once(expected).chain(&also) {
                if !located(&report, place) {
                    wrong.push(format!(
                        "{} line {} expected",
                        place["key_path"], place["line"]
                    ));
                }
            }
            // A single mistake is reported once.
            if also.is_empty() && errors(&report).count() > 2 {
                wrong.push("too many errors".to_owned());
            }
        }
        if !wrong.is_empty() {
            let found: Vec<_> = errors(&report)
                .map(|finding| finding.diagnostic.to_string())
                .collect();
            let area = case["area"].as_str().unwrap_or_default().to_owned();
            let line = format!(
                "{} ({}): {}; found {found:?}",
                case["id"],
                case["what"],
                wrong.join("; ")
            );
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
    assert_eq!(count, 0, "expectations that are not met");
}
