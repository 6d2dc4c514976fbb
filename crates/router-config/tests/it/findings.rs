//! What users run into: for each item a file, and what is said about it.

use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::{CheckOptions, Report, Severity, SourceFile, Verdict, check};

pub(crate) const BASE: &str = "\
v: 3
identity:
  cert: /r.cert
  server_cert: /r.server.cert
  key: /r.key
  ca: /r.cas
ctrl:
  endpoint: tls:ctrl.example:6262
link:
  dialers:
    - binding: transport
edge:
  csr:
    sans:
      dns: [r1.example]
dialers:
  - binding: transport
listeners:
  - binding: edge
    address: tls:0.0.0.0:3022
    options:
      advertise: r1.example:3022
";

fn environment(name: &str) -> Option<String> {
    (name == "SET").then(|| "x".to_owned())
}

fn report(text: &str) -> Report {
    check(
        &SourceFile::new("router.yml", text.as_bytes()),
        &CheckOptions::new().environment(&environment),
    )
}

/// Each row: what is replaced in the base, by what, and the finding: severity, code, path, and a part
/// of message or help.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const ROWS: &[Row] = &[
    // Certificates and the request for them.
    (
        "  csr:\n    sans:\n      dns: [r1.example]\n",
        "  db: x\n",
        "warning",
        "missing-section",
        "csr",
        "enroll",
    ),
    (
        "dns: [r1.example]",
        "dns: [other.example]",
        "warning",
        "not-in-sans",
        "listeners[0].options.advertise",
        "enroll again",
    ),
    (
        "dns: [r1.example]",
        "dns: [\"*.example\", 10.0.0.1]",
        "warning",
        "suspicious-value",
        "edge.csr.sans.dns",
        "edge.csr.sans.ip",
    ),
    (
        "sans:\n      dns: [r1.example]",
        "country: NO",
        "error",
        "wrong-type",
        "edge.csr.country",
        "`\"NO\"` in quotes",
    ),
    (
        "  ca: /r.cas\n",
        "  ca: /r.cas\nalt_server_certs: []\n",
        "error",
        "unknown-key",
        "alt_server_certs",
        "identity.alt_server_certs",
    ),
    (
        "  ca: /r.cas\n",
        "  ca: file:r.cas\n",
        "error",
        "invalid-value",
        "identity.ca",
        "must start with `/`",
    ),
    (
        "cert: /r.cert",
        "cert: r.cert",
        "note",
        "good-to-know",
        "identity",
        "working directory",
    ),
    (
        "  server_cert: /r.server.cert\n",
        "",
        "warning",
        "missing-key",
        "identity.server_cert",
        "crashes at start",
    ),
    // The controllers.
    (
        "  endpoint: tls:ctrl.example:6262\n",
        "  endpoint: tls:ctrl.example:6262\n  endpoints: []\n",
        "warning",
        "conflict",
        "ctrl.endpoints",
        "not used",
    ),
    (
        "  endpoint: tls:ctrl.example:6262\n",
        "  endpoint: tls:ctrl.example:6262\n  cert: a\n",
        "error",
        "unknown-key",
        "ctrl.cert",
        "identity.cert",
    ),
    (
        "tls:ctrl.example:6262",
        "ctrl.example:6262",
        "error",
        "invalid-value",
        "ctrl.endpoint",
        "write `tls:ctrl.example:6262`",
    ),
    (
        "tls:ctrl.example:6262",
        "tls://ctrl.example:6262",
        "error",
        "invalid-value",
        "ctrl.endpoint",
        "write `tls:ctrl.example:6262`",
    ),
    (
        "tls:ctrl.example:6262",
        "ws:ctrl.example:6262",
        "error",
        "invalid-value",
        "ctrl.endpoint",
        "write `wss:ctrl.example:6262`",
    ),
    (
        "endpoint: tls",
        "endpont: tls",
        "error",
        "unknown-key",
        "ctrl.endpont",
        "did you mean `endpoint`?",
    ),
    (
        "endpoint: tls",
        "endpoint:tls",
        "error",
        "wrong-type",
        "ctrl",
        "a space is missing",
    ),
    (
        "link:\n",
        "  bind: tls:10.0.0.1:1\nlink:\n",
        "error",
        "invalid-value",
        "ctrl.bind",
        "without a port",
    ),
    (
        "link:\n",
        "  rateLimiter: {minSize: 1}\nlink:\n",
        "error",
        "out-of-bounds",
        "ctrl.rateLimiter.minSize",
        "nearest value is 5",
    ),
    (
        "link:\n",
        "  options: {connectTimeoutMs: 5000}\nlink:\n",
        "warning",
        "deprecated-key",
        "ctrl.options.connectTimeoutMs",
        "write `connectTimeout`",
    ),
    (
        "link:\n",
        "  defaultRequestTimeout: 5\nlink:\n",
        "error",
        "wrong-type",
        "ctrl.defaultRequestTimeout",
        "`5s` or `5ms`",
    ),
    (
        "link:\n",
        "  dataDir: x\nlink:\n",
        "note",
        "dead-key",
        "ctrl.dataDir",
        "controller",
    ),
    // Links.
    (
        "    - binding: transport\nedge",
        "    - binding: transport\n  listeners:\n    - {binding: transport, bind: tls:0.0.0.0:1}\nedge",
        "error",
        "missing-key",
        "link.listeners[0].advertise",
        "no `advertise`",
    ),
    (
        "    - binding: transport\nedge",
        "    - binding: transport\n  listeners:\n    - {binding: transport, bind: tls:0.0.0.0:1, advertise: tls:0.0.0.0:1}\nedge",
        "warning",
        "unreachable",
        "link.listeners[0].advertise",
        "nobody can dial",
    ),
    (
        "    - binding: transport\nedge",
        "    - binding: transport\n  listeners:\n    - {binding: transport, bind: tls:0.0.0.0:1, advertise: r1.example:1}\nedge",
        "warning",
        "only-here",
        "link.listeners[0].advertise",
        "tls:r1.example:1",
    ),
    (
        "    - binding: transport\nedge",
        "    - binding: transport\n      groups: a\n  listeners:\n    - {binding: transport, bind: tls:0.0.0.0:1, advertise: tls:r1.example:1, groups: [b]}\nedge",
        "note",
        "unreachable",
        "link.dialers[0].groups",
        "share a group",
    ),
    (
        "    - binding: transport\nedge",
        "    - binding: transport\n      healthyDialBackoff: {minRetryInterval: 10m}\nedge",
        "error",
        "conflict",
        "link.dialers[0].healthyDialBackoff.minRetryInterval",
        "set both",
    ),
    (
        "    - binding: transport\nedge",
        "    - binding: transport\n  listener: {}\nedge",
        "note",
        "dead-key",
        "link.listener",
        "`listeners`",
    ),
    (
        "    - binding: transport\nedge",
        "    binding: transport\nedge",
        "error",
        "wrong-type",
        "link.dialers",
        "- ",
    ),
    // Edge listeners.
    (
        "address: tls",
        "bind: tls",
        "warning",
        "only-here",
        "listeners[0].bind",
        "write `address`",
    ),
    (
        "    options:\n      advertise",
        "    advertise",
        "warning",
        "only-here",
        "listeners[0].advertise",
        "options.advertise",
    ),
    (
        "    options:\n      advertise",
        "    options:\n    advertise",
        "warning",
        "no-value",
        "listeners[0].options",
        "indent them",
    ),
    (
        "advertise: r1.example:3022",
        "advertise: tls:r1.example:3022",
        "warning",
        "only-here",
        "listeners[0].options.advertise",
        "write `r1.example:3022`",
    ),
    (
        "advertise: r1.example:3022",
        "advertise: r1.example",
        "error",
        "invalid-value",
        "listeners[0].options.advertise",
        "port is missing",
    ),
    (
        "address: tls:0.0.0.0:3022",
        "address: tls:::1:3022",
        "error",
        "invalid-value",
        "listeners[0].address",
        "brackets",
    ),
    (
        "advertise: r1.example:3022",
        "advertise: \"[2001:db8::1]:3022\"",
        "warning",
        "only-here",
        "listeners[0].options.advertise",
        "IPv6",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n      retxScale: 2\n",
        "warning",
        "only-here",
        "listeners[0].options.retxScale",
        "write `2.0`",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n      getSessionTimeout: 60\n",
        "note",
        "dead-key",
        "listeners[0].options.getSessionTimeout",
        "getCircuitTimeout",
    ),
    (
        "edge:\n  csr:",
        "csr:\n  sans: {}\nfoo:\n  csr:",
        "error",
        "conflict",
        "listeners[0]",
        "edge: {}",
    ),
    (
        "dialers:\n  - binding: transport\nlisteners:\n  - binding: edge",
        "dialers:\n  - binding: transport\nlisteners:\n  - binding: edge_wss",
        "error",
        "invalid-value",
        "listeners[0].binding",
        "binding",
    ),
    // The tunnel.
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n  - {binding: tunnel, options: {mode: tproxy, lanIf: }}\n",
        "error",
        "no-value",
        "listeners[1].options.lanIf",
        "remove the key",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n  - {binding: tunnel, options: {mode: proxy, services: [\"a\"]}}\n",
        "error",
        "invalid-value",
        "listeners[1].options.services",
        "echo:8000",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n  - {binding: tunnel, options: {mode: tproxy, resolver: \"tls://a:1\"}}\n",
        "error",
        "invalid-value",
        "listeners[1].options.resolver",
        "udp://127.0.0.1:53",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n  - {binding: tunnel, options: {mode: host}}\n",
        "note",
        "good-to-know",
        "listeners[1]",
        "tunneler-enabled",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n  - {binding: tunnel, options: {mode: host, services: [\"a:1\"]}}\n",
        "warning",
        "unused-key",
        "listeners[1].options.services",
        "mode: proxy",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n  - {binding: tunnel, options: {mode: hsot}}\n",
        "error",
        "invalid-value",
        "listeners[1].options.mode",
        "did you mean `host`?",
    ),
    (
        "      advertise: r1.example:3022\n",
        "      advertise: r1.example:3022\n  - {binding: tunnel}\n",
        "note",
        "good-to-know",
        "listeners[1]",
        "tunneler-enabled",
    ),
    // Web and health.
    (
        "v: 3\n",
        "v: 3\nweb: [{name: h, bindPoints: [{interface: 0.0.0.0:1, address: 0.0.0.0:1}], apis: [{binding: health-checks}]}]\n",
        "warning",
        "unreachable",
        "web[0].bindPoints[0].address",
        "0.0.0.0",
    ),
    (
        "v: 3\n",
        "v: 3\nweb: [{name: h, bindPoints: [{interface: 0.0.0.0:3022, address: a:1}], apis: [{binding: health-checks}]}]\n",
        "error",
        "port-taken",
        "web[0].bindPoints[0].interface",
        "listeners[0].address",
    ),
    (
        "v: 3\n",
        "v: 3\nweb: [{name: h, identity: {cert: a, key: b}, bindPoints: [{interface: 0.0.0.0:1, address: a:1}], apis: [{binding: health-checks}]}]\n",
        "error",
        "missing-key",
        "web[0].identity.ca",
        "no `ca`",
    ),
    (
        "v: 3\n",
        "v: 3\nweb: [{name: m, bindPoints: [{interface: 0.0.0.0:1, address: a:1}], apis: [{binding: metrics}]}]\n",
        "warning",
        "only-here",
        "web[0].apis[0].binding",
        "OpenZiti does not start",
    ),
    (
        "v: 3\n",
        "v: 3\nhealthChecks: {linkCheck: {minLinks: 1}}\n",
        "note",
        "unreachable",
        "healthChecks",
        "`web`",
    ),
    (
        "v: 3\n",
        "v: 3\nhealthChecks: {linkCheck: {minLinks: \"1\"}}\n",
        "error",
        "wrong-type",
        "healthChecks.linkCheck.minLinks",
        "without quotes",
    ),
    (
        "v: 3\n",
        "v: 3\nhealthCheck: {}\n",
        "note",
        "dead-key",
        "healthCheck",
        "healthChecks",
    ),
    // Transport.
    (
        "v: 3\n",
        "v: 3\ntransport: {ws: {writeTimeout: 1}}\n",
        "note",
        "dead-key",
        "transport.ws",
        "`wss`",
    ),
    (
        "v: 3\n",
        "v: 3\ntransport: {wss: {writeTimeout: 1}}\n",
        "note",
        "unused-key",
        "transport.wss",
        "wss:",
    ),
    // Scalars, variables, YAML.
    (
        "v: 3",
        "v: \"3\"",
        "error",
        "wrong-type",
        "v",
        "without quotes",
    ),
    ("v: 3", "v: 2", "error", "out-of-bounds", "v", "must be 3"),
    (
        "v: 3\n",
        "v: 3\nforwarder: {idleTxInterval: 5s}\n",
        "error",
        "wrong-type",
        "forwarder.idleTxInterval",
        "write `5000`",
    ),
    (
        "v: 3\n",
        "v: 3\nforwarder: {linkDialWorkerCount: 010}\n",
        "warning",
        "suspicious-value",
        "forwarder.linkDialWorkerCount",
        "octal",
    ),
    (
        "v: 3\n",
        "v: 3\nforwarder: {idleTxInterval: \"${SET}\"}\n",
        "error",
        "wrong-type",
        "forwarder.idleTxInterval",
        "always a string",
    ),
    (
        "v: 3\n",
        "v: 3\nproxy: {type: http, address: a:1, username: u, password: pa$$word}\n",
        "warning",
        "env-unset",
        "proxy.password",
        "cannot be escaped",
    ),
    (
        "tls:ctrl.example",
        "tls:${UNSET}",
        "error",
        "invalid-value",
        "ctrl.endpoint",
        "`UNSET` is not set",
    ),
    (
        "v: 3\n",
        "v: 3\nfowarder: {}\n",
        "error",
        "unknown-key",
        "fowarder",
        "did you mean `forwarder`?",
    ),
    (
        "v: 3\n",
        "v: 3\nv: 3\n",
        "warning",
        "duplicate-key",
        "v",
        "given twice",
    ),
    (
        "v: 3\n",
        "v: 3\n\tx: 1\n",
        "error",
        "yaml-syntax",
        "",
        "tab",
    ),
];

#[test]
fn every_complaint_has_its_finding() {
    let mut failures = Vec::new();
    for (from, to, severity, code, path, part) in ROWS {
        assert!(BASE.contains(from), "{from:?} is not in the base");
        let text = BASE.replacen(from, to, 1);
        let report = report(&text);
        let found = report.findings.iter().any(|finding| {
            let diagnostic = &finding.diagnostic;
            let words = format!(
                "{} {}",
                diagnostic.message,
                diagnostic.help.as_deref().unwrap_or_default()
            );
            diagnostic.severity.to_string() == *severity
                && diagnostic.code == *code
                && (diagnostic.path.dotted() == *path || *code == "yaml-syntax")
                && words.contains(part)
        });
        if !found {
            let all: Vec<_> = report
                .findings
                .iter()
                .map(|f| f.diagnostic.to_string())
                .collect();
            failures.push(format!(
                "{to:?}: {severity}[{code}] {path} {part:?} not in {all:#?}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_base_has_nothing_to_complain_about() {
    let report = report(BASE);
    assert_eq!(report.findings, vec![]);
    assert_eq!(report.verdict, Verdict::Accept);
}

#[test]
fn a_file_with_the_required_sections_only_is_told_what_it_loses() {
    let text =
        "v: 3\nidentity: {cert: /a, key: /b, server_cert: /c, ca: /d}\nctrl: {endpoint: tls:a:1}\n";
    let report = report(text);
    assert_eq!(report.verdict, Verdict::Accept);
    let lost: Vec<(Severity, &str)> = report
        .findings
        .iter()
        .map(|finding| &finding.diagnostic)
        .filter(|diagnostic| diagnostic.code == "missing-section")
        .map(|diagnostic| (diagnostic.severity, diagnostic.message.as_str()))
        .collect();
    let [(Severity::Warning, should), (Severity::Note, may)] = lost.as_slice() else {
        panic!("one warning and one note: {lost:?}");
    };
    for name in ["dialers", "edge", "link", "listeners"] {
        assert!(
            may.contains(&format!("without `{name}`")),
            "{name} in {may}"
        );
    }
    assert!(should.contains("without a `csr`"), "{should}");
}

#[test]
fn the_file_of_a_controller_is_recognized() {
    let text = "v: 3\ndb: $NONE\nidentity: {cert: /a}\nctrl:\n  listener: tls:a:1\nweb: {}\n";
    let report = report(text);
    assert_eq!(report.verdict, Verdict::Refuse);
    let found: Vec<String> = report
        .findings
        .iter()
        .map(|finding| finding.diagnostic.to_string())
        .collect();
    assert_eq!(
        found,
        [
            "2:1: error[other-program]: this is the file of a controller, not of a router: only a \
             controller has `db` (db); check it with `portcullis-controller config check`"
        ]
    );
    let text = SourceFile::new("ctrl.yml", text.as_bytes());
    let evaluation = evaluate(&text, &Machine::new().environment(&environment));
    assert_ne!(evaluation.verdict, Verdict::Accept, "the loader decides");
    let last = &evaluation.findings.last().expect("it is told").diagnostic;
    assert_eq!(
        (last.code, last.severity),
        ("other-program", Severity::Warning)
    );
}

#[test]
fn unknown_keys_can_be_allowed() {
    let text = BASE.replacen("v: 3", "v: 3\nfoo: 1", 1);
    let text = SourceFile::new("router.yml", text.as_bytes());
    let strict = check(&text, &CheckOptions::new().environment(&environment));
    let lenient = check(
        &text,
        &CheckOptions::new()
            .allow_unknown(true)
            .environment(&environment),
    );
    assert_eq!(
        (strict.verdict, lenient.verdict),
        (Verdict::Refuse, Verdict::Accept)
    );
    assert_eq!(strict.findings.len(), lenient.findings.len());
}

#[test]
fn the_original_passes_over_keys_that_it_does_not_know() {
    let text = BASE.replacen("v: 3", "v: 3\nfoo: 1\nha: x", 1);
    let text = SourceFile::new("router.yml", text.as_bytes());
    let judgment = evaluate(&text, &Machine::new().environment(&environment));
    assert_eq!(judgment.verdict, Verdict::Accept);
    let found: Vec<_> = judgment
        .findings
        .iter()
        .map(|finding| (finding.diagnostic.path.dotted(), finding.diagnostic.code))
        .collect();
    assert_eq!(
        found,
        [
            ("foo".to_owned(), "unknown-key"),
            ("ha".to_owned(), "dead-key")
        ]
    );
}
