//! Effective values and their sources.

use std::path::Path;

use portcullis_controller_config::{
    ControllerConfig, GenerateOptions, SourceText, effective, generate, read_files,
};
use portcullis_key_table::{EffectiveConfig, Setting, Source};
use portcullis_yaml::Severity;
use serde_json::json;

use crate::SMALLEST;

fn lookup(name: &str) -> Option<String> {
    (name == "HOST").then(|| "ctrl.example".to_owned())
}

fn source(text: &str) -> SourceText<'_> {
    let folder = Path::new("/net");
    SourceText { text, folder }
}

fn values(text: &str) -> EffectiveConfig {
    effective(&[source(text)], &lookup).effective
}

fn config(text: &str) -> Option<ControllerConfig> {
    read_files(&[source(text)], &lookup).config
}

/// Changes of the smallest file, by which something counts that is not written.
const FILES: &[(&str, &str)] = &[
    ("v: 3", "v: 3"),
    ("v: 3", "v: 3\nrelativePaths: file"),
    (
        "    address: ctrl.example:1280",
        "    address: ${HOST}:1280\n    sessionTimeout: 5s\n    disableOidcAutoBinding: 'TRUE'",
    ),
    ("edgeIdentity: {}", "edgeIdentity: {duration: 1m}"),
    (
        "edge:",
        "trustDomain: spiffe://a.example/b\nlimits: {connections: 100}\nedge:",
    ),
    (
        "edge:",
        "edge:\n  oidc: {accessTokenDuration: 48h, idTokenDuration: 1s}",
    ),
    (
        "edge:",
        "edge:\n  externalJwtSigners: {jwksFetch: {blockPrivateAddresses: false, allowedIPs: [10.0.0.0/8]}}",
    ),
    (
        "    apis:",
        "    options: {minTLSVersion: TLS1.0}\n    apis:",
    ),
    (
        "ca: cas.pem}",
        "ca: cas.pem, alt_server_certs: [{server_cert: b.pem}, {server_cert: c.pem, server_key: c.key}]}",
    ),
    (
        "    apis:",
        "    identity: {cert: a, key: b, server_cert: c, ca: d}\n    apis:\n      - {binding: zac, options: {location: /opt/zac}}",
    ),
    (
        "edge:",
        "events:\n  log: {subscriptions: [{type: link}, {type: usage, version: '3', include: ingress.rx}], handler: \
         {type: file, format: JSON, path: e.json, bufferSize: 50}}\nedge:",
    ),
    (
        "edge:",
        "events:\n  'a.b[0]': {subscriptions: [{type: link, include: x}, {type: entityCount}], handler: {type: \
         stdout, format: json, path: unused}}\n  queue: {subscriptions: [{type: link}], handler: {type: amqp, \
         format: json}}\nedge:",
    ),
];

#[test]
fn what_is_shown_means_the_same_when_it_is_read() {
    let generated = generate(&GenerateOptions::new("ctrl.example", 1280)).expect("it is a file");
    let changed = FILES
        .iter()
        .map(|(old, new)| SMALLEST.replacen(old, new, 1));
    for text in changed.chain([generated]) {
        let shown = values(&text).to_yaml();
        let before = config(&text).expect("the file is complete");
        let again = read_files(&[source(&shown)], &lookup);
        let found: Vec<_> = again.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(found, [""; 0], "{text}\n---\n{shown}");
        assert_eq!(again.config, Some(before), "{text}\n---\n{shown}");
        // Nothing is left to defaults.
        let twice = values(&shown);
        for (path, setting) in twice.iter() {
            assert!(
                matches!(setting.source, Source::File(_)),
                "{path}: {setting:?}"
            );
        }
    }
}

#[test]
fn each_value_has_its_source() {
    let text = SMALLEST.replace("address: ctrl.example:1280", "address: '${HOST}:1280'");
    let text = text.replace("edge:", "limits: {connections: 100}\nedge:");
    let values = values(&text);
    let source = |path: &str| values.get(path).expect(path).source.clone();
    assert!(matches!(source("db"), Source::File(place) if place.line == 2));
    assert!(matches!(
        source("edge.api.address"),
        Source::Environment(place, names) if place.line == 9 && names == ["HOST"]
    ));
    assert_eq!(
        values.get("edge.api.address").expect("it is there").value,
        json!("ctrl.example:1280")
    );
    assert_eq!(source("edge.api.sessionTimeout"), Source::Default);
    for (path, how) in [
        ("identity.server_key", "as `identity.key`"),
        (
            "limits.connectionsPerPeer",
            "follows from `limits.connections`",
        ),
        (
            "web[0].apis[1].binding",
            "served beside `edge-client`, see `edge.api.disableOidcAutoBinding`",
        ),
    ] {
        assert_eq!(source(path), Source::Derived(how.to_owned()), "{path}");
    }
}

#[test]
fn a_value_that_is_not_taken_says_why() {
    let text = SMALLEST.replace("edgeIdentity: {}", "edgeIdentity: {duration: 1m}");
    let values = values(&text);
    let setting = values
        .get("edge.enrollment.edgeIdentity.duration")
        .expect("it is there");
    assert_eq!(setting.value, json!("3h0m0s"));
    let how = "line 11, too short, so the default counts".to_owned();
    assert_eq!(setting.source, Source::Derived(how));
}

#[test]
fn events_have_what_counts_for_their_types() {
    let entry = |subscription: &str, handler: &str| {
        let events = format!(
            "events: {{x: {{subscriptions: [{{{subscription}}}], handler: {{format: json, {handler}}}}}}}\nedge:"
        );
        let values = values(&SMALLEST.replace("edge:", &events));
        let found = values
            .iter()
            .filter(|(path, _)| path.starts_with("events."));
        let shown = |(path, setting): (&str, &Setting)| {
            format!("{}={}", path.trim_start_matches("events.x."), setting.value)
        };
        found.map(shown).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        entry(
            "type: entityCount",
            "type: file, path: e.json, bufferSize: 9"
        ),
        "handler.bufferSize=65536 handler.format=\"json\" handler.maxbackups=0 handler.maxsizemb=10 \
         handler.path=\"e.json\" handler.type=\"file\" subscriptions[0].interval=\"5m\" \
         subscriptions[0].type=\"entityCount\""
    );
    assert_eq!(
        entry("type: services, include: x", "type: stdout, path: x"),
        "handler.bufferSize=65536 handler.format=\"json\" handler.type=\"stdout\" \
         subscriptions[0].type=\"services\""
    );
    assert_eq!(entry("type: link", "type: amqp"), "");
}

#[test]
fn keys_are_not_shown() {
    let secret = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    for key in [
        format!("'pem:-----BEGIN PRIVATE KEY-----{secret}'"),
        format!("'-----BEGIN PRIVATE KEY-----{secret}'"),
    ] {
        let text = SMALLEST.replace("key: a.key", &format!("key: {key}"));
        let values = values(&text);
        assert!(
            !values.to_yaml().contains(secret) && !values.to_json().to_string().contains(secret)
        );
        assert!(
            values
                .to_yaml()
                .contains("server_key: \"pem: (a private key)\"")
        );
    }
}

#[test]
fn what_can_be_understood_of_a_wrong_file_is_shown() {
    let text = SMALLEST
        .replace("tls:0.0.0.0:6262", "6262")
        .replace("address: ctrl", "adress: ctrl");
    let outcome = effective(&[source(&text)], &lookup);
    assert!(
        outcome
            .diagnostics
            .iter()
            .any(|one| one.severity == Severity::Error)
    );
    assert!(outcome.effective.get("ctrl.listener").is_none());
    assert!(outcome.effective.get("edge.api.address").is_none());
    assert!(outcome.effective.get("web[0].name").is_some());
    let nothing = effective(&[source("a: [")], &lookup);
    assert!(nothing.effective.is_empty() && nothing.diagnostics.len() == 1);
}
