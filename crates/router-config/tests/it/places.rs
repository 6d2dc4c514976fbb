//! Where findings point: keys, values and items, in blocks and in flow, in both verdicts.

use portcullis_router_config::openziti::evaluate;
use portcullis_router_config::{CheckOptions, Finding, SourceFile, check};

use crate::own::changed;
use crate::recorded::{MACHINE, environment};

/// Lists the findings with a code by line, column and path, and what stands there.
fn places(findings: Vec<Finding>, file: &str, code: &str) -> Vec<(u32, u32, String, String)> {
    let with_code = findings.into_iter().filter(|f| f.diagnostic.code == code);
    with_code
        .map(|finding| {
            let of = finding.diagnostic;
            let written = file.get(of.span.start..of.span.end).unwrap_or_default();
            let first = written.lines().next().unwrap_or_default();
            (of.line, of.column, of.path.dotted(), first.to_owned())
        })
        .collect()
}

/// What is replaced in the base, by what; the code; and the only place of both verdicts: line, column,
/// path, and the text that is underlined.
type Row<'row> = (
    &'row str,
    &'row str,
    &'row str,
    u32,
    u32,
    &'row str,
    &'row str,
);

const DNS: &str = "edge.csr.sans.dns";
const IP: &str = "edge.csr.sans.ip";
const ENDPOINTS: &str = "ctrl.endpoints";

#[rustfmt::skip]
const ROWS: &[Row<'_>] = &[
    // Scalars: the value, however it is written.
    ("v: 3", "v: abc", "wrong-type", 1, 4, "v", "abc"),
    ("v: 3", "v:   'abc'", "wrong-type", 1, 6, "v", "'abc'"),
    ("v: 3\n", "v: 3\nforwarder:\n  linkDialWorkerCount: 0\n", "out-of-bounds", 3, 24, "forwarder.linkDialWorkerCount", "0"),
    ("v: 3\n", "v: 3\nforwarder: {linkDialWorkerCount: 0}\n", "out-of-bounds", 2, 34, "forwarder.linkDialWorkerCount", "0"),
    ("tls:ctrl.example:6262", "tlz:ctrl.example:6262", "invalid-value", 8, 13, "ctrl.endpoint", "tlz:ctrl.example:6262"),
    ("tls:ctrl.example:6262", "\n    tlz:ctrl.example:6262", "invalid-value", 9, 5, "ctrl.endpoint", "tlz:ctrl.example:6262"),
    ("tls:ctrl.example:6262", "tls:ctrl.example:6262\n  defaultRequestTimeout: abc", "invalid-value", 9, 26, "ctrl.defaultRequestTimeout", "abc"),
    // Lists and maps: the key.
    ("tls:ctrl.example:6262", "[tls:ctrl.example:6262]", "wrong-type", 8, 3, "ctrl.endpoint", "endpoint"),
    ("tls:ctrl.example:6262", "\n    - tls:ctrl.example:6262", "wrong-type", 8, 3, "ctrl.endpoint", "endpoint"),
    ("tls:ctrl.example:6262", "{a: b}", "wrong-type", 8, 3, "ctrl.endpoint", "endpoint"),
    // Items: on the line of the key by the name of the list, below by their position.
    ("[r1.example]", "[r1.example, 5]", "wrong-type", 15, 25, DNS, "5"),
    ("[r1.example]", "\n        - r1.example\n        - 5", "wrong-type", 17, 11, "edge.csr.sans.dns[1]", "5"),
    ("[r1.example]", "[r1.example,\n        5]", "wrong-type", 16, 9, "edge.csr.sans.dns[1]", "5"),
    ("[r1.example]", "[r1.example]\n      ip: [10.0.0.1, x]", "invalid-value", 16, 22, IP, "x"),
    ("[r1.example]", "[r1.example]\n      ip:\n        - 10.0.0.1\n        - x", "invalid-value", 18, 11, "edge.csr.sans.ip[1]", "x"),
    ("endpoint: tls:ctrl.example:6262", "endpoints: [tls:a:1, 5]", "wrong-type", 8, 24, ENDPOINTS, "5"),
    ("endpoint: tls:ctrl.example:6262", "endpoints:\n    - tls:a:1\n    - 5", "wrong-type", 10, 7, "ctrl.endpoints[1]", "5"),
    // Keys that nobody knows: the key.
    ("v: 3\n", "v: 3\nforwarder:\n  foo: 0\n", "unknown-key", 3, 3, "forwarder.foo", "foo"),
    ("v: 3\n", "v: 3\nforwarder: {foo: 0}\n", "unknown-key", 2, 13, "forwarder.foo", "foo"),
    ("v: 3\n", "v: 3\nforwarder: {\"foo\": 0}\n", "unknown-key", 2, 13, "forwarder.foo", "\"foo\""),
    ("    address:", "    foo: 1\n    address:", "unknown-key", 20, 5, "listeners[0].foo", "foo"),
    // Keys that are missing: the key of the section, or the entry.
    ("    address: tls:0.0.0.0:3022\n", "", "missing-key", 19, 5, "listeners[0].address", "binding: edge"),
    ("      advertise: r1.example:3022\n", "      mtu: 5\n", "missing-key", 21, 5, "listeners[0].options.advertise", "options"),
    // Variables, as everything else in a list.
    ("[r1.example]", "[r1.example, \"$NONE\"]", "env-unset", 15, 25, DNS, "\"$NONE\""),
    ("[r1.example]", "\n        - r1.example\n        - $NONE", "env-unset", 17, 11, "edge.csr.sans.dns[1]", "$NONE"),
    ("  endpoint: tls:ctrl.example:6262", "  endpoint: tls:${NONE}x:6262", "env-unset", 8, 13, "ctrl.endpoint", "tls:${NONE}x:6262"),
];

#[test]
fn findings_point_at_keys_values_and_items() {
    let mut wrong = Vec::new();
    for (part, by, code, line, column, path, written) in ROWS {
        let file = changed(part, by);
        let text = SourceFile::new("router.yml", file.as_bytes());
        let own = check(&text, &CheckOptions::new().environment(&environment)).findings;
        let original = evaluate(&text, &MACHINE.environment(&environment)).findings;
        let expected = vec![(*line, *column, (*path).to_owned(), (*written).to_owned())];
        let is_silent = *code == "env-unset";
        for (norm, findings) in [("own", own), ("original", original)] {
            let found = places(findings, &file, code);
            // The original says nothing of variables.
            if found != expected && !(norm == "original" && is_silent) {
                wrong.push(format!("{norm} {by:?} {code}: {found:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One file names one item one way.
#[test]
fn a_variable_and_its_value_have_one_name() {
    for by in [
        "[10.0.0.1, \"$NONE\"]",
        "\n        - 10.0.0.1\n        - \"$NONE\"",
    ] {
        let file = changed("[r1.example]", &format!("[r1.example]\n      ip: {by}"));
        let text = SourceFile::new("router.yml", file.as_bytes());
        let findings = check(&text, &CheckOptions::new().environment(&environment)).findings;
        let paths: Vec<_> = findings
            .iter()
            .map(|f| f.diagnostic.path.dotted())
            .collect();
        assert_eq!(paths.len(), 2, "{paths:?}");
        assert_eq!(paths.first(), paths.last(), "{by}");
    }
}
