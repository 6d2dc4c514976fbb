//! The list of codes is what findings have.

use std::collections::{HashMap, HashSet};

use portcullis_router_config::openziti::evaluate;
use portcullis_router_config::{CheckOptions, SourceFile, check, codes, reference_page};

use crate::findings::BASE;
use crate::own::changed;
use crate::recorded::{MACHINE, bytes, cases, environment};

/// As when the cases were recorded, with a variable of a megabyte.
fn lookup(name: &str) -> Option<String> {
    match name {
        "LONG" => Some("x".repeat(1 << 20)),
        _ => environment(name),
    }
}

/// Gives the codes of both verdicts.
fn codes_of(file: &[u8]) -> Vec<&'static str> {
    let text = SourceFile::new("router.yml", file);
    let own = check(&text, &CheckOptions::new().environment(&lookup)).findings;
    let original = evaluate(&text, &MACHINE.environment(&lookup)).findings;
    let findings = own.into_iter().chain(original);
    findings.map(|finding| finding.diagnostic.code).collect()
}

/// A file for each code that recorded cases need not have.
fn examples() -> HashMap<&'static str, Vec<u8>> {
    let base = |by: &str| format!("{BASE}{by}").into_bytes();
    let top = |by: &str| changed("v: 3\n", &format!("v: 3\n{by}")).into_bytes();
    HashMap::from([
        ("unknown-key", base("foo: 1\n")),
        ("byte-order-mark", base("\u{feff}foo: 1\n")),
        ("missing-key", b"v: 3\n".to_vec()),
        ("other-program", b"db: ctrl.db\n".to_vec()),
        ("no-value", base("    address:\n")),
        ("wrong-type", top("forwarder: 5\n")),
        ("invalid-value", base("  - binding: foo\n")),
        (
            "out-of-bounds",
            top("forwarder: {linkDialWorkerCount: 0}\n"),
        ),
        (
            "conflict",
            changed("  endpoint", "  endpoints: [tls:a:1]\n  endpoint").into_bytes(),
        ),
        ("dead-key", top("transport: {ws: {}}\n")),
        (
            "unused-key",
            base("  - {binding: tunnel, options: {mode: host, lanIf: eth0}}\n"),
        ),
        (
            "unreachable",
            changed("r1.example:3022", "0.0.0.0:3022").into_bytes(),
        ),
        (
            "not-in-sans",
            changed("r1.example:3022", "r2.example:3022").into_bytes(),
        ),
        (
            "port-taken",
            base("  - {binding: proxy, service: x, address: tcp:0.0.0.0:3022}\n"),
        ),
        ("missing-section", b"v: 3\n".to_vec()),
        (
            "only-here",
            changed("advertise: r1", "advertise: tls:r1").into_bytes(),
        ),
        ("empty-document", b"~\n".to_vec()),
        (
            "good-to-know",
            base("  - {binding: tunnel, options: {mode: host}}\n"),
        ),
        (
            "suspicious-value",
            top("forwarder: {linkDialWorkerCount: 010}\n"),
        ),
        ("duplicate-key", base("v: 3\n")),
        (
            "merge-overrides",
            top("profile: {cpu: {path: /a, <<: {path: /b}}}\n"),
        ),
        ("env-unset", top("profile: {memory: {path: $NONE}}\n")),
        ("yaml-second-document", base("---\na: 1\n")),
        ("yaml-empty", Vec::new()),
        ("yaml-encoding", vec![0xff, 0x41]),
        ("yaml-control-character", b"a: \x01\n".to_vec()),
        ("yaml-syntax", b"a: b: c\n".to_vec()),
        ("yaml-version", b"%YAML 1.2\n---\na: 1\n".to_vec()),
        ("yaml-alias", b"a: *b\n".to_vec()),
        ("yaml-key", b"{a: 1}: 2\n".to_vec()),
        ("yaml-merge", b"<<: 5\n".to_vec()),
        ("yaml-tag", b"a: !!int x\n".to_vec()),
        ("yaml-limit", "[".repeat(20_000).into_bytes()),
        ("too-large", vec![b'#'; 5 << 20]),
        (
            "too-many-findings",
            (0..1_100)
                .flat_map(|n| format!("k{n}: 1\n").into_bytes())
                .collect(),
        ),
        (
            "env-limit",
            format!("a: \"{}\"\n", "$LONG".repeat(20)).into_bytes(),
        ),
        ("deprecated-key", base("      connectTimeoutMs: 5000\n")),
    ])
}

/// Findings of the recorded cases have no other codes, and each code is one that a file can give.
#[test]
fn every_code_is_listed_and_every_listed_code_is_given() {
    let listed: HashSet<&str> = codes::all().map(|(code, _)| code).collect();
    for file in cases().iter().map(bytes).chain(examples().into_values()) {
        for code in codes_of(&file) {
            assert!(listed.contains(code), "{code}");
        }
    }
    let examples = examples();
    // Files that cannot be read are a matter of the program that reads them.
    for code in listed.into_iter().filter(|code| *code != "unreadable") {
        let file = examples
            .get(code)
            .unwrap_or_else(|| panic!("no example of {code}"));
        assert!(
            codes_of(file).contains(&code),
            "{code}: {:?}",
            codes_of(file)
        );
    }
}

#[test]
fn every_code_stands_once_in_the_reference() {
    let page = reference_page();
    for (code, meaning) in codes::all() {
        let row = format!("| `{code}` | {meaning} |\n");
        assert_eq!(page.matches(&row).count(), 1, "{code}");
        assert!(meaning.ends_with('.'), "{meaning}");
    }
}
