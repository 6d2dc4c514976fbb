mod api;
mod ctrl;
mod edge;
mod events;
mod identity;
mod limits;
mod network;
mod root;
mod web;

use portcullis_controller_config::read;
use portcullis_yaml::Severity;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

use crate::{SMALLEST, no_variables};

/// Change of the smallest file, and the place, code and a word of everything that is to be said.
struct Case {
    old: &'static str,
    new: &'static str,
    found: &'static [(u32, u32, &'static str, &'static str)],
}

const fn case(
    old: &'static str,
    new: &'static str,
    found: &'static [(u32, u32, &'static str, &'static str)],
) -> Case {
    Case { old, new, found }
}

fn check(cases: &[Case]) {
    for Case { old, new, found } in cases {
        assert_eq!(SMALLEST.matches(old).count(), 1, "{old:?} is there once");
        let text = SMALLEST.replace(old, new);
        let outcome = read(&[&text], &no_variables);
        let shown: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(ToString::to_string)
            .collect();
        let places: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(|d| (d.line, d.column, d.code))
            .collect();
        let expected: Vec<_> = found
            .iter()
            .map(|(line, column, code, _)| (*line, *column, *code))
            .collect();
        assert_eq!(places, expected, "{new:?}: {shown:#?}");
        for (said, (.., word)) in shown.iter().zip(*found) {
            assert!(said.contains(word), "{new:?}: {word:?} is not in {said:?}");
        }
        let usable = outcome
            .diagnostics
            .iter()
            .all(|d| d.severity != Severity::Error);
        assert_eq!(outcome.config.is_some(), usable, "{new:?}");
    }
}

#[test]
fn mistakes_at_the_root_are_found() {
    check(root::ROOT);
}

#[test]
fn mistakes_in_identity_are_found() {
    check(identity::IDENTITY);
}

#[test]
fn mistakes_in_ctrl_are_found() {
    check(ctrl::CTRL);
}

#[test]
fn mistakes_in_edge_api_are_found() {
    check(api::API);
}

#[test]
fn mistakes_in_the_rest_of_edge_are_found() {
    check(edge::EDGE);
}

#[test]
fn mistakes_in_web_are_found() {
    check(web::WEB);
}

#[test]
fn mistakes_in_network_are_found() {
    check(network::NETWORK);
}

#[test]
fn mistakes_in_events_are_found() {
    check(events::EVENTS);
}

#[test]
fn mistakes_in_limits_are_found() {
    check(limits::LIMITS);
}

#[test]
fn all_sections_are_read_whatever_is_wrong_in_one() {
    let outcome = read(
        &["v: '3'\nidentity: 5\nctrl: {listener: x}\nedge: {api: {address: q}}\nweb: []\nfoo: 1\n"],
        &no_variables,
    );
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| (d.line, d.code, d.path.to_string()))
        .collect();
    let expected = [
        (1, "missing-key", "db"),
        (1, "version", "v"),
        (2, "wrong-type", "identity"),
        (3, "invalid-value", "ctrl.listener"),
        (4, "missing-key", "edge.enrollment"),
        (4, "invalid-value", "edge.api.address"),
        (5, "invalid-value", "web"),
        (6, "unknown-key", "foo"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(line, code, path)| (*line, *code, (*path).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_is_no_map_or_no_yaml_is_one_error() {
    for (text, code) in [
        ("", "yaml-empty"),
        ("- 1", "wrong-type"),
        ("~", "wrong-type"),
        ("a: b: c", "yaml-syntax"),
    ] {
        let outcome = read(&[text], &no_variables);
        assert_eq!(
            outcome
                .diagnostics
                .iter()
                .map(|d| d.code)
                .collect::<Vec<_>>(),
            [code],
            "{text:?}"
        );
        assert!(outcome.config.is_none());
    }
}

#[test]
fn the_file_of_a_router_is_recognized_before_anything_else() {
    let edge =
        "v: 3\nidentity: {cert: a, key: b}\nctrl: {endpoint: tls:a:1}\nlink: {dialers: []}\n";
    let fabric = "v: 3\nforwarder: {}\nweb: []\n";
    for (text, line, key) in [(edge, 4, "link"), (fabric, 2, "forwarder")] {
        let outcome = read(&[text], &no_variables);
        let found: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(|one| (one.line, one.code, one.path.to_string()))
            .collect();
        assert_eq!(found, [(line, "other-program", key.to_owned())]);
        let help = outcome.diagnostics[0].help.as_deref().unwrap_or_default();
        assert!(help.contains("portcullis router-config check"), "{help}");
    }
    // With the data of a controller it is the controller's, with keys too many.
    let outcome = read(&[&format!("{SMALLEST}link: {{}}\n")], &no_variables);
    let codes: Vec<_> = outcome.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["unknown-key"]);
}

#[test]
fn one_typo_is_one_mistake() {
    for (old, new) in [
        ("web:", "webb:"),
        ("db:", "dbs:"),
        ("    apis:", "    apiss:"),
        ("signingCert:", "singingCert:"),
    ] {
        let outcome = read(&[&SMALLEST.replace(old, new)], &no_variables);
        let codes: Vec<_> = outcome.diagnostics.iter().map(|one| one.code).collect();
        assert_eq!(codes, ["unknown-key"], "{new}");
        assert!(outcome.config.is_none());
    }
}

proptest! {
    #![proptest_config(Config {
        cases: 500,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x6d75_7461),
        failure_persistence: None,
        ..Config::default()
    })]

    /// Replaces the value or the key of a random word, so that most files are YAML and all are wrong somewhere.
    #[test]
    fn no_file_makes_the_reader_panic(
        at in any::<prop::sample::Index>(),
        new in prop_oneof![
            Just("~"), Just("[]"), Just("{}"), Just("5"), Just("no"), Just("''"), Just("[{}]"), Just("\"a\\u0000\""),
            Just("1e999"), Just("-1h"), Just("tls:"), Just(":"), Just("[::]:1"), Just("${A}"), Just("<<"), Just("file:%"),
        ],
    ) {
        let words: Vec<(usize, &str)> = SMALLEST.match_indices(|c: char| c.is_alphanumeric()).collect();
        let start = words[at.index(words.len())].0;
        let end = start + SMALLEST[start..].find(|c: char| !c.is_alphanumeric() && c != '.').unwrap_or(1);
        let text = format!("{}{new}{}", &SMALLEST[..start], &SMALLEST[end..]);
        let outcome = read(&[&text], &no_variables);
        let errors = outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        prop_assert_eq!(outcome.config.is_none(), errors > 0, "{}", text);
        for diagnostic in &outcome.diagnostics {
            let span = diagnostic.span;
            prop_assert!(text.get(span.start..span.end).is_some(), "{:?}", diagnostic);
        }
    }
}
