//! One mistake is one finding.

use std::collections::HashSet;

use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::{CheckOptions, Finding, SourceFile, check};

use crate::own::{changed, said};
use crate::recorded::{MACHINE, bytes, cases, environment};

/// Files with misspelled keys: no key is called missing beside the one that stands for it.
#[test]
fn misspelled_keys_are_not_missing_too() {
    let link = "  dialers:\n    - binding: transport\nedge";
    let cases = [
        (
            "advertise:",
            "advertize:",
            vec!["error unknown-key listeners[0].options.advertize"],
        ),
        (
            "    address:",
            "    adress:",
            vec!["error unknown-key listeners[0].adress"],
        ),
        (
            "    address:",
            "    bnd:",
            vec!["error unknown-key listeners[0].bnd"],
        ),
        (
            "    options:",
            "    optons:",
            vec!["error unknown-key listeners[0].optons"],
        ),
        (
            "  endpoint:",
            "  endpont:",
            vec!["error unknown-key ctrl.endpont"],
        ),
        ("ctrl:", "ctlr:", vec!["error unknown-key ctlr"]),
        (
            "  server_cert:",
            "  serverCert:",
            vec!["error unknown-key identity.serverCert"],
        ),
        (
            "    sans:",
            "    sanz:",
            vec!["error unknown-key edge.csr.sanz"],
        ),
        (
            "      dns:",
            "      dsn:",
            vec!["error unknown-key edge.csr.sans.dsn"],
        ),
        (
            link,
            "  dialers:\n    - bindng: transport\nedge",
            vec!["error unknown-key link.dialers[0].bindng"],
        ),
        (
            link,
            "  listeners:\n    - bindng: transport\n      bnd: tls:0.0.0.0:3023\n      \
             advertise: tls:r1.example:3023\nedge",
            vec![
                "error unknown-key link.listeners[0].bindng",
                "error unknown-key link.listeners[0].bnd",
            ],
        ),
    ];
    for (part, by, expected) in cases {
        let found: Vec<String> = said(&changed(part, by));
        assert_eq!(found, expected, "{by}");
    }
}

/// When unknown keys are only warned of, what they stand for is still missing.
#[test]
fn misspelled_keys_are_missing_when_unknown_keys_are_allowed() {
    let file = changed("    address:", "    adress:");
    let options = CheckOptions::new().allow_unknown(true);
    let report = check(&SourceFile::new("r.yml", file.as_bytes()), &options);
    let codes: Vec<_> = report.findings.iter().map(|f| f.diagnostic.code).collect();
    assert_eq!(codes, ["missing-key", "unknown-key"]);
}

#[test]
fn one_mistake_is_told_once() {
    let cases = [
        (
            "[r1.example]",
            "other.example",
            vec!["error wrong-type edge.csr.sans.dns"],
        ),
        (
            "",
            "web:\n  - name: w\n    bindPoints: [{interface: 0.0.0.0:8081, address: r1.example:8081}]\n    \
             apis: [{binding: health-checks, options: {a: b}}]\n",
            vec!["error unknown-key web[0].apis[0].options.a"],
        ),
        (
            "",
            "  - {binding: tunnel, options: {dnsSvcIpRange: 100.64.0.1/10}}\n",
            vec![
                "note good-to-know listeners[1]",
                "warning suspicious-value listeners[1].options.mode",
            ],
        ),
    ];
    for (part, by, mut expected) in cases {
        let mut found = said(&changed(part, by));
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{by}");
    }
}

/// Keys of entries of which nobody knows the binding.
#[test]
fn entries_with_unclear_bindings_are_looked_at() {
    let cases = [
        (
            "  - bindng: edge\n    address: tls:0.0.0.0:3024\n    optons: {}\n",
            vec![
                "unknown-key listeners[1].bindng",
                "unknown-key listeners[1].optons",
            ],
        ),
        (
            "  - binding: tunel\n    optons: {mode: host}\n",
            vec![
                "invalid-value listeners[1].binding",
                "unknown-key listeners[1].optons",
            ],
        ),
        (
            "  - binding: nothing\n    service: x\n    options: {mode: host, mtuu: 5, txQueueSize: 1}\n",
            vec![
                "invalid-value listeners[1].binding",
                "unknown-key listeners[1].options.mtuu",
            ],
        ),
        (
            "  - address: tls:0.0.0.0:3024\n    foo: 1\n",
            vec![
                "missing-key listeners[1].binding",
                "unknown-key listeners[1].foo",
            ],
        ),
        (
            "  - binding: 5\n    foo: 1\n",
            vec![
                "wrong-type listeners[1].binding",
                "unknown-key listeners[1].foo",
            ],
        ),
    ];
    for (entry, expected) in cases {
        let file = changed("", entry);
        let expected: Vec<String> = expected
            .iter()
            .map(|line| format!("error {line}"))
            .collect();
        assert_eq!(said(&file), expected, "{entry}");
        let judged = evaluate(&SourceFile::new("r.yml", file.as_bytes()), &Machine::new());
        let unknown = judged
            .findings
            .iter()
            .filter(|f| f.diagnostic.code == "unknown-key");
        let ours = expected.iter().filter(|line| line.contains("unknown-key"));
        assert_eq!(unknown.count(), ours.count(), "{entry}");
    }
    let dialers = changed(
        "dialers:\n  - binding: transport\nlisteners",
        "dialers:\n  - binding: tcp\n    optins: {}\nlisteners",
    );
    assert_eq!(
        said(&dialers),
        [
            "error invalid-value dialers[0].binding",
            "error unknown-key dialers[0].optins"
        ]
    );
}

/// Lists what both verdicts say of a file, with everything that is shown.
fn all_said(file: &[u8]) -> [Vec<String>; 2] {
    let text = SourceFile::new("router.yml", file);
    let own = check(&text, &CheckOptions::new().environment(&environment)).findings;
    let original = evaluate(&text, &MACHINE.environment(&environment)).findings;
    [own, original].map(|findings| {
        let shown = |f: Finding| format!("{} {:?}", f.diagnostic, f.effect);
        findings.into_iter().map(shown).collect()
    })
}

#[test]
fn no_finding_is_the_same_as_another() {
    let base = [
        ("r1.example:3022", "3022"),
        (
            "    options:\n      advertise: r1.example:3022\n",
            "    options: 5\n",
        ),
        (
            "  dialers:\n",
            "  listeners: [{binding: transport, bind: tls:0.0.0.0:3023, advertise: 5}]\n  dialers:\n",
        ),
    ];
    let own = base.map(|(part, by)| changed(part, by).into_bytes());
    let mut repeated = Vec::new();
    for file in own.into_iter().chain(cases().iter().map(bytes)) {
        for said in all_said(&file) {
            let mut seen = HashSet::new();
            repeated.extend(said.into_iter().filter(|line| !seen.insert(line.clone())));
        }
    }
    assert!(repeated.is_empty(), "{repeated:#?}");
}

/// The original reads the keys of a certificate request whatever their case.
#[test]
fn keys_of_the_request_in_other_cases() {
    let sans = "    sans:\n      dns: [r1.example]\n";
    let cases = [
        (
            "    SANS:\n      dns: [r1.example]\n",
            vec![],
            vec!["error unknown-key edge.csr.SANS"],
        ),
        (
            "    sans:\n      DNS: [r1.example]\n",
            vec![],
            vec!["error unknown-key edge.csr.sans.DNS"],
        ),
        (
            "    Country: DE\n    sans:\n      dns: [r1.example]\n",
            vec![],
            vec!["error unknown-key edge.csr.Country"],
        ),
        (
            "    Country: DE\n    country: DE\n    sans:\n      dns: [r1.example]\n",
            vec!["edge.csr.Country"],
            vec!["error unknown-key edge.csr.Country"],
        ),
    ];
    for (by, ignored, own) in cases {
        let file = changed(sans, by);
        let judged = evaluate(&SourceFile::new("r.yml", file.as_bytes()), &Machine::new());
        let paths: Vec<String> = judged
            .findings
            .iter()
            .map(|f| f.diagnostic.path.dotted())
            .collect();
        assert_eq!(paths, ignored, "{by}");
        assert_eq!(said(&file), own, "{by}");
    }
    let file = changed(sans, "    SANS:\n      dns: [r1.example]\n");
    let options = CheckOptions::new().allow_unknown(true);
    let report = check(&SourceFile::new("r.yml", file.as_bytes()), &options);
    let codes: Vec<_> = report.findings.iter().map(|f| f.diagnostic.code).collect();
    assert_eq!(codes, ["unknown-key"]);
}
