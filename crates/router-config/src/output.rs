//! Findings as JSON.

use serde_json::{Value as Json, json};

use crate::finding::{Finding, Verdict};

/// Renders the findings about a file as one JSON object.
///
/// Each finding has everything that is shown to users. `span` counts bytes of the file as UTF-8
/// without a byte order mark; `verdict` and `stage` are present when OpenZiti ends because of it.
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
        "span": { "start": diagnostic.span.start, "end": diagnostic.span.end },
        "reference": finding.reference(),
    });
    if let (Some(effect), Json::Object(object)) = (finding.effect, &mut object) {
        object.insert("verdict".to_owned(), json!(effect.verdict.to_string()));
        object.insert("stage".to_owned(), json!(effect.stage.to_string()));
    }
    object
}

#[cfg(test)]
mod tests {
    use crate::{CheckOptions, SourceFile, load};
    use portcullis_yaml::{Limits, SourceId, parse};

    #[test]
    fn yaml_is_nested_like_the_file() {
        let dialers = "{binding: transport, options: {outQueueSize: 7}}, ".repeat(12);
        let file = format!(
            "v: 3\nidentity: {{key: 'pem:-----BEGIN PRIVATE KEY-----'}}\nlink: {{dialers: [{dialers}]}}\n"
        );
        let loaded = load(
            &SourceFile::new("r.yml", file.as_bytes()),
            &CheckOptions::new(),
        );
        let yaml = loaded.effective.to_yaml();
        assert!(!yaml.contains("BEGIN"), "{yaml}");
        let limits = Limits::default();
        let written = parse(&yaml, SourceId::default(), &limits).expect("it is YAML");
        let link = written.root.as_map().and_then(|map| map.get("link"));
        let dialers = link.and_then(|link| link.value.as_map()?.get("dialers"));
        let items = dialers.and_then(|dialers| dialers.value.as_list());
        assert_eq!(items.map(<[_]>::len), Some(12), "{yaml}");
        let first = "    - binding: \"transport\" # line 3\n      groups:";
        assert!(yaml.contains(first), "{yaml}");
    }
}
