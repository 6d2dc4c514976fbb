//! What the original passes over without a word, or meets only at the first dial.

use portcullis_router_config::Verdict;

use crate::verdicts::{changed, judged};

const OVER: &str = "OpenZiti ignores it";
const DIAL: &str = "OpenZiti fails on it at the first dial";
const DEFAULT: &str = "OpenZiti uses the default";

/// Gives path and message of every warning of a file that is accepted.
fn warnings(file: &str) -> Vec<(String, String)> {
    let judgment = judged(file);
    assert_eq!(judgment.verdict, Verdict::Accept, "{file}");
    let all = judgment.findings.into_iter();
    all.map(|finding| {
        let diagnostic = finding.diagnostic;
        assert_eq!(diagnostic.severity.to_string(), "warning", "{diagnostic}");
        (diagnostic.path.to_string(), diagnostic.message)
    })
    .collect()
}

#[test]
fn what_is_passed_over_is_told_once() {
    let dialers = "dialers:\n  - binding: transport\n";
    let options = |options: &str| format!("{dialers}    options: {options}\n");
    let cases = [
        (
            dialers,
            "dialers: {binding: transport}\n".to_owned(),
            "dialers",
            OVER,
        ),
        (dialers, "dialers:\n".to_owned(), "dialers", OVER),
        (
            dialers,
            "dialers: [transport]\n".to_owned(),
            "dialers[0]",
            OVER,
        ),
        (dialers, options(""), "dialers[0].options", DIAL),
        (
            dialers,
            options("{mtu: \"5\"}"),
            "dialers[0].options.mtu",
            DIAL,
        ),
        ("", "healthChecks: []\n".to_owned(), "healthChecks", OVER),
        (
            "",
            "transport: {proxy: x}\n".to_owned(),
            "transport.proxy",
            DIAL,
        ),
        (
            "",
            "transport: {proxy: }\n".to_owned(),
            "transport.proxy",
            DIAL,
        ),
        ("", "metrics: []\n".to_owned(), "metrics", OVER),
        ("", "forwarder: [a]\n".to_owned(), "forwarder", OVER),
        (
            "",
            "forwarder:\n".to_owned(),
            "forwarder",
            "is treated as absent",
        ),
        (
            "",
            "connectEvents: {enabled: abc}\n".to_owned(),
            "connectEvents.enabled",
            "as false",
        ),
        (
            "",
            "connectEvents: {batchInterval: 5}\n".to_owned(),
            "connectEvents.batchInterval",
            DEFAULT,
        ),
        (
            "",
            "connectEvents: {batchInterval: abc}\n".to_owned(),
            "connectEvents.batchInterval",
            DEFAULT,
        ),
    ];
    for (part, by, path, words) in cases {
        let found = warnings(&changed(part, &by));
        assert!(
            matches!(found.as_slice(), [(at, message)] if at == path && message.contains(words)),
            "{by}: {found:?}"
        );
    }
}

#[test]
fn whole_floats_count_for_links_and_not_for_clients() {
    let options = "options: {connectTimeoutMs: 5000.0}";
    let link = format!("    - binding: transport\n      {options}\n");
    let link = warnings(&changed("    - binding: transport\n", &link));
    assert!(link.is_empty(), "{link:?}");
    let advertise = "      advertise: r1.example:3022\n";
    let edge = format!("{advertise}      connectTimeoutMs: 6000.0\n");
    let edge = warnings(&changed(advertise, &edge));
    assert!(
        edge.iter().any(|(_, message)| message.contains(DEFAULT)),
        "{edge:?}"
    );
}

#[test]
fn options_of_dialers_are_those_of_the_last_with_a_binding() {
    let entry = |mtu: &str| format!("  - {{binding: transport, options: {{mtu: {mtu}}}}}\n");
    for (first, last, expected) in [("x", "5", 0), ("5", "x", 1)] {
        let by = format!("dialers:\n{}{}", entry(first), entry(last));
        let file = changed("dialers:\n  - binding: transport\n", &by);
        assert_eq!(warnings(&file).len(), expected, "{by}");
    }
}

#[test]
fn what_is_refused_is_not_said_to_be_passed_over() {
    let file = changed("", "interfaceDiscovery: []\n");
    let findings = judged(&file).findings;
    let effects: Vec<_> = findings
        .iter()
        .map(|finding| finding.effect.is_some())
        .collect();
    assert_eq!(effects, [true], "{findings:?}");
}
