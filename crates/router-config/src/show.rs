//! Showing what was found: findings and effective values as JSON and YAML.

use serde_json::{Value as Json, json};

use crate::effective::{Effective, Setting, Source};
use crate::finding::{Finding, Verdict};

/// Writes what was found in a file as one JSON object.
pub fn report_json(file: &str, verdict: Verdict, findings: &[Finding]) -> Json {
    let findings: Vec<Json> = findings.iter().map(finding_json).collect();
    json!({ "file": file, "verdict": verdict.to_string(), "findings": findings })
}

fn finding_json(finding: &Finding) -> Json {
    let diagnostic = &finding.diagnostic;
    let mut object = json!({
        "severity": diagnostic.severity.to_string(),
        "path": diagnostic.path.dotted(),
        "line": diagnostic.line,
        "column": diagnostic.column,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "help": diagnostic.help,
    });
    if let (Some(effect), Json::Object(object)) = (finding.effect, &mut object) {
        object.insert("verdict".to_owned(), json!(effect.verdict.to_string()));
        object.insert("stage".to_owned(), json!(effect.stage.to_string()));
    }
    object
}

impl Effective {
    /// Writes all values by the path of their key, each with its source.
    pub fn to_json(&self) -> Json {
        let entry = |(path, setting): (&str, &Setting)| (path.to_owned(), setting_json(setting));
        Json::Object(self.iter().map(entry).collect())
    }

    /// Writes all values as YAML, nested like the file, with the source of each in a comment.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        let mut open: Vec<String> = Vec::new();
        for (path, setting) in self.iter() {
            let steps = steps(path);
            let Some((last, way)) = steps.split_last() else {
                continue;
            };
            let same = open
                .iter()
                .zip(way)
                .take_while(|(left, right)| left == right)
                .count();
            open.truncate(same);
            for step in way.iter().skip(same) {
                line(&mut text, open.len(), &format!("{step}:"));
                open.push(step.clone());
            }
            let comment = source_text(&setting.source);
            line(
                &mut text,
                way.len(),
                &format!("{last}: {} # {comment}", setting.value),
            );
        }
        text
    }
}

fn line(text: &mut String, depth: usize, line: &str) {
    text.push_str(&"  ".repeat(depth));
    text.push_str(line);
    text.push('\n');
}

/// Splits a path; an item of a list becomes a step of its own.
fn steps(path: &str) -> Vec<String> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        match part.split_once('[') {
            Some((name, index)) => {
                steps.push(name.to_owned());
                steps.push(index.trim_end_matches(']').to_owned());
            },
            None => steps.push(part.to_owned()),
        }
    }
    steps
}

fn source_text(source: &Source) -> String {
    match source {
        Source::Given(place) => format!("line {}", place.line),
        Source::Environment(place, names) => {
            format!("line {}, environment {}", place.line, names.join(", "))
        },
        Source::Default => "default".to_owned(),
    }
}

fn setting_json(setting: &Setting) -> Json {
    let value = &setting.value;
    match &setting.source {
        Source::Default => json!({ "value": value, "source": "default" }),
        Source::Given(place) => json!({ "value": value, "source": "file", "line": place.line }),
        Source::Environment(place, names) => json!({
            "value": value,
            "source": "environment",
            "line": place.line,
            "variables": names,
        }),
    }
}
