//! Files with mistakes that OpenZiti's router starts with.

use portcullis_router_config::{
    CheckOptions, Finding, LoadedConfig, Severity, SourceFile, Verdict, check, load_tolerantly,
};

use crate::own::changed;
use crate::recorded::{bytes, cases, environment};

fn loaded(file: &str) -> LoadedConfig {
    let text = SourceFile::new("router.yml", file.as_bytes());
    load_tolerantly(&text, &CheckOptions::new())
}

#[test]
fn files_that_openziti_starts_with_are_accepted() {
    let options = CheckOptions::new().environment(&environment);
    for case in cases() {
        let file = bytes(&case);
        let text = SourceFile::new("router.yml", &file);
        let strict = check(&text, &options);
        let report = load_tolerantly(&text, &options).report;
        if case["openziti"]["verdict"] == "accept" {
            let is_mistake = |finding: &&Finding| finding.diagnostic.severity == Severity::Error;
            let mut mistakes = report.findings.iter().filter(is_mistake);
            assert!(mistakes.all(Finding::is_lack_of_controllers), "{case}");
        } else {
            assert_eq!(report, strict, "{case}");
        }
    }
}

/// Holds the value of a key, and what is said of it, against these.
fn assert_held(file: &str, path: &str, value: &str, words: &str) {
    let LoadedConfig {
        report, effective, ..
    } = loaded(file);
    assert_eq!(report.verdict, Verdict::Accept, "{path}: {report:?}");
    let held = &effective.get(path).expect("a value").value;
    let held = held
        .as_str()
        .map_or_else(|| held.to_string(), str::to_owned);
    assert_eq!(held, value, "{path}");
    let mut findings = report.findings.iter();
    let found = findings.find(|finding| finding.diagnostic.path.dotted() == path);
    let message = &found.expect("a finding").diagnostic.message;
    assert!(message.ends_with(words), "{message}");
}

#[test]
fn what_holds_instead_is_told() {
    let cases = [
        (
            "connectEvents: {batchInterval: 100ms}",
            "connectEvents.batchInterval",
            "250ms",
            "; `250ms` is used",
        ),
        (
            "connectEvents: {batchInterval: -1s}",
            "connectEvents.batchInterval",
            "250ms",
            "; `250ms` is used",
        ),
        (
            "connectEvents: {enabled: abc}",
            "connectEvents.enabled",
            "false",
            "; `false` is used",
        ),
        (
            "interfaceDiscovery: {checkInterval: 0s}",
            "interfaceDiscovery.checkInterval",
            "1m0s",
            "; the default is used",
        ),
    ];
    for (section, path, value, words) in cases {
        let file = changed("v: 3\n", &format!("v: 3\n{section}\n"));
        assert_held(&file, path, value, words);
    }
}

#[test]
fn what_holds_instead_of_options_is_told() {
    let cases = [
        ("maxQueuedConnects: word", "1", "; the default is used"),
        ("outQueueSize: 8.0", "8", "; `8` is used"),
        ("rxBufferSize: -1", "4194304", "; the default is used"),
        ("rxBufferSize: 4294967301", "5", "; `5` is used"),
        ("mtu: 4294968320", "1024", "; `1024` is used"),
        ("mtu: 4294967295", "0", "; the default is used"),
        ("writeTimeout: -5s", "0s", "; the default is used"),
    ];
    for (option, value, words) in cases {
        let advertise = "      advertise: r1.example:3022\n";
        let file = changed(advertise, &format!("{advertise}      {option}\n"));
        let (name, _) = option.split_once(':').expect("a key");
        assert_held(&file, &format!("listeners[0].options.{name}"), value, words);
    }
}

#[test]
fn rest_of_a_list_is_used() {
    let cases = [
        (
            "endpoint: tls:ctrl.example:6262",
            "endpoints: ['tls:ctrl.example:6262', 'tls:not a host:6262']",
            "ctrl.endpoints",
            r#"["tls:ctrl.example:6262"]"#,
        ),
        (
            "dns: [r1.example]",
            "dns: [r1.example, ~]",
            "edge.csr.sans.dns",
            r#"["r1.example"]"#,
        ),
    ];
    for (part, by, path, value) in cases {
        let words = "; the rest of the list is used";
        assert_held(&changed(part, by), path, value, words);
    }
}

#[test]
fn section_of_the_wrong_type_is_as_one_that_is_absent() {
    let file = changed(
        "v: 3\n",
        "v: 3\nmetrics: x\nhealthChecks: 5\nforwarder: [a]\n",
    );
    let with = loaded(&file);
    let without = loaded(&changed("", ""));
    assert_eq!(with.report.count(Severity::Error), 0);
    assert_eq!(with.config.metrics, without.config.metrics);
    assert_eq!(with.config.health_checks, without.config.health_checks);
    assert_eq!(with.config.forwarder, without.config.forwarder);
}

#[test]
fn mistakes_stay_mistakes_where_openziti_does_not_start_either() {
    let file = changed("v: 3\n", "v: 3\nfoo: 1\nmetrics: {reportInterval: 5}\n");
    let text = SourceFile::new("router.yml", file.as_bytes());
    let strict = check(&text, &CheckOptions::new());
    assert_eq!(strict.count(Severity::Error), 2);
    assert_eq!(loaded(&file).report, strict);
}

#[test]
fn router_without_controllers_gets_nowhere() {
    for ctrl in ["ctrl: {}", "ctrl: {endpoints: []}"] {
        let file = changed("ctrl:\n  endpoint: tls:ctrl.example:6262", ctrl);
        let report = loaded(&file).report;
        assert_eq!(report.verdict, Verdict::Refuse, "{ctrl}");
        let lacking = report
            .findings
            .iter()
            .filter(|finding| finding.is_lack_of_controllers());
        assert_eq!(lacking.count(), 1, "{ctrl}");
    }
}
