//! Everything that Portcullis itself says about a file, and nothing more.

use portcullis_router_config::{CheckOptions, SourceFile, check, load};

use crate::findings::BASE;

/// Replaces a part of the base, or adds to its end when the part is empty.
pub(crate) fn changed(part: &str, by: &str) -> String {
    if part.is_empty() {
        format!("{BASE}{by}")
    } else {
        assert!(BASE.contains(part), "{part}");
        BASE.replacen(part, by, 1)
    }
}

/// Lists the findings of a file, as in `error invalid-value ctrl.endpoint`.
pub(crate) fn said(file: &str) -> Vec<String> {
    let text = SourceFile::new("router.yml", file.as_bytes());
    let report = check(&text, &CheckOptions::new());
    let line = |finding: portcullis_router_config::Finding| {
        let diagnostic = finding.diagnostic;
        let (severity, code, path) = (diagnostic.severity, diagnostic.code, &diagnostic.path);
        format!("{severity} {code} {path}")
    };
    report.findings.into_iter().map(line).collect()
}

fn tunnel(options: &str) -> String {
    changed(
        "",
        &format!("  - {{binding: tunnel, options: {options}}}\n"),
    )
}

const TUNNEL: &str = "note good-to-know listeners[1]";

#[test]
fn words_about_name_servers_may_have_any_case_or_be_empty() {
    let cases = [
        ("dnsUpstreamMode: Serial", None, "serial"),
        ("dnsUpstreamMode: FAILOVER", None, "failover"),
        ("dnsUpstreamMode: \"\"", None, "parallel"),
        ("dnsUpstreamMode: rr", Some("error invalid-value"), ""),
        ("dnsUpstreamMode: 5", Some("error wrong-type"), ""),
        ("dnsUnanswerable: ServFail", None, "servfail"),
        ("dnsUnanswerable: \"\"", None, "refused"),
        ("dnsUnanswerable: refuse", Some("error invalid-value"), ""),
    ];
    for (option, mistake, effective) in cases {
        let name = option.split(':').next().expect("a key");
        let path = format!("listeners[1].options.{name}");
        let file = tunnel(&format!("{{mode: tproxy, {option}}}"));
        let expected: Vec<String> = std::iter::once(TUNNEL.to_owned())
            .chain(mistake.map(|mistake| format!("{mistake} {path}")))
            .collect();
        assert_eq!(said(&file), expected, "{option}");
        let text = SourceFile::new("router.yml", file.as_bytes());
        let loaded = load(&text, &CheckOptions::new());
        let setting = loaded.effective.get(&path);
        let value = setting.and_then(|setting| setting.value.as_str());
        assert_eq!(value.unwrap_or_default(), effective, "{option}");
    }
}

#[test]
fn edge_listeners_on_ipv6_are_only_understood_here() {
    let cases = [
        (
            "tls:[::]:3022",
            vec!["warning only-here listeners[0].address"],
        ),
        (
            "wss:[2001:db8::1]:3022",
            vec!["warning only-here listeners[0].address"],
        ),
        ("tls:0.0.0.0:3022", vec![]),
    ];
    for (address, expected) in cases {
        let file = changed(
            "address: tls:0.0.0.0:3022",
            &format!("address: \"{address}\""),
        );
        assert_eq!(said(&file), expected, "{address}");
    }
    let plain = changed("", "  - {binding: transport, address: \"tls:[::]:7000\"}\n");
    assert_eq!(said(&plain), Vec::<String>::new());
}

/// A block as a file holds it, without anything in it.
fn pem(label: &str) -> String {
    format!("|\n    -----BEGIN {label}-----\n    AAAA\n    -----END {label}-----")
}

#[test]
fn certificates_and_keys_in_the_file_are_looked_at_and_not_shown() {
    let secret = "c2VjcmV0";
    let cases = [
        (
            "key: /r.key",
            "pem:c2VjcmV0".to_owned(),
            Some("identity.key"),
        ),
        ("key: /r.key", pem("CERTIFICATE"), Some("identity.key")),
        ("key: /r.key", pem("RSA PRIVATE KEY"), None),
        (
            "key: /r.key",
            "\" -----BEGIN c2VjcmV0:%x\"".to_owned(),
            Some("identity.key"),
        ),
        (
            "cert: /r.cert",
            pem("EC PRIVATE KEY"),
            Some("identity.cert"),
        ),
        ("cert: /r.cert", pem("CERTIFICATE"), None),
        ("ca: /r.cas", "'pem:'".to_owned(), Some("identity.ca")),
    ];
    for (line, value, path) in cases {
        let name = line.split(':').next().expect("a key");
        let file = changed(line, &format!("{name}: {value}"));
        let expected: Vec<String> = path
            .map(|path| format!("error invalid-value {path}"))
            .into_iter()
            .collect();
        assert_eq!(said(&file), expected, "{file}");
        let text = SourceFile::new("router.yml", file.as_bytes());
        for finding in check(&text, &CheckOptions::new()).findings {
            let shown = finding.diagnostic.to_string();
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}

const LINK: &str =
    "  listeners:\n    - {binding: transport, bind: tls:0.0.0.0:7000, advertise: ADDRESS}\nedge:";

const CTRL: &str = "  listeners: [ENTRY]\nlink:";

#[test]
fn what_nobody_can_dial_is_told() {
    let endpoint = "endpoint: tls:ctrl.example:6262";
    let link = |address: &str| ("edge:", LINK.replace("ADDRESS", address));
    let ctrl = |entry: &str| ("link:", CTRL.replace("ENTRY", entry));
    let cases = [
        (
            (endpoint, "endpoint: tls:c:0".to_owned()),
            Some("ctrl.endpoint"),
        ),
        (
            (endpoint, "endpoints: [tls:c:1, tls:c:0]".to_owned()),
            Some("ctrl.endpoints"),
        ),
        (
            link("tls:r1.example:0"),
            Some("link.listeners[0].advertise"),
        ),
        (
            link("tls:0.0.0.0:7000"),
            Some("link.listeners[0].advertise"),
        ),
        (link("tls:r1.example:7000"), None),
        (
            ctrl("{bind: tls:0.0.0.0:7000, advertise: tls:0.0.0.0:7000}"),
            Some("ctrl.listeners[0].advertise"),
        ),
        (
            ctrl("{bind: tls:0.0.0.0:7000, advertise: tls:r1.example:0}"),
            Some("ctrl.listeners[0].advertise"),
        ),
        (
            ctrl("{bind: tls:0.0.0.0:7000}"),
            Some("ctrl.listeners[0].bind"),
        ),
        (
            ctrl("{bind: tls:0.0.0.0:0, advertise: tls:r1.example:7}"),
            None,
        ),
        (
            ctrl("{bind: tls:r1.example:0}"),
            Some("ctrl.listeners[0].bind"),
        ),
    ];
    for ((part, by), path) in cases {
        let expected: Vec<String> = path
            .map(|path| format!("warning unreachable {path}"))
            .into_iter()
            .collect();
        assert_eq!(said(&changed(part, &by)), expected, "{by}");
    }
    let edge = changed("advertise: r1.example:3022", "advertise: r1.example:0");
    assert_eq!(
        said(&edge),
        ["error invalid-value listeners[0].options.advertise"]
    );
}

#[test]
fn alternative_certificates_serve_without_the_first() {
    let line = "  server_cert: /r.server.cert\n";
    let alternative = "  alt_server_certs: [{server_cert: /a.cert}]\n";
    for (by, part) in [
        ("", "crashes at start"),
        ("  alt_server_certs: []\n", "crashes at start"),
        (alternative, "renewed"),
    ] {
        let file = changed(line, by);
        assert_eq!(
            said(&file),
            ["warning missing-key identity.server_cert"],
            "{by}"
        );
        let text = SourceFile::new("router.yml", file.as_bytes());
        let report = check(&text, &CheckOptions::new());
        let message = &report.findings[0].diagnostic.message;
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_tunnel_without_mode_or_beside_another_is_told() {
    let mode = "warning suspicious-value listeners[1].options.mode";
    for entry in ["{binding: tunnel}", "{binding: tunnel, options: {}}"] {
        let said = said(&changed("", &format!("  - {entry}\n")));
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said.contains(&mode.to_owned()) && said.contains(&TUNNEL.to_owned()),
            "{said:?}"
        );
    }
    let host = "  - {binding: tunnel, options: {mode: host}}\n";
    let said = said(&changed("", &format!("{host}{host}")));
    assert_eq!(
        said,
        [
            TUNNEL,
            "warning conflict listeners[1]",
            "note good-to-know listeners[2]"
        ]
    );
}

#[test]
fn of_dialers_with_one_binding_the_last_one_counts() {
    let dialers = "dialers:\n  - binding: transport\n  - binding: edge\n";
    let file = changed(
        "dialers:\n  - binding: transport\nlisteners",
        &format!("{dialers}  - binding: transport\nlisteners"),
    );
    assert_eq!(said(&file), ["warning conflict dialers[0]"]);
    assert_eq!(
        said(&changed(
            "dialers:\n  - binding: transport\nlisteners",
            &format!("{dialers}listeners")
        )),
        Vec::<String>::new()
    );
}

#[test]
fn the_older_spelling_beside_the_newer_is_told_wherever_a_channel_has_options() {
    let options = "options: {connectTimeout: 5s, connectTimeoutMs: 5000}";
    let cases = [
        ("  endpoint:", format!("  {options}\n  endpoint:"), "ctrl"),
        (
            "  endpoint:",
            format!("  listeners: [{{bind: tls:r1.example:7000, {options}}}]\n  endpoint:"),
            "ctrl.listeners[0]",
        ),
        (
            "    - binding: transport\nedge",
            format!("    - binding: transport\n      {options}\nedge"),
            "link.dialers[0]",
        ),
        (
            "edge:",
            LINK.replace("ADDRESS", &format!("tls:r1.example:7000, {options}")),
            "link.listeners[0]",
        ),
        (
            "advertise: r1.example:3022",
            "advertise: r1.example:3022\n      connectTimeout: 5s\n      connectTimeoutMs: 5000"
                .to_owned(),
            "listeners[0]",
        ),
        (
            "  - binding: transport\nlisteners",
            format!("  - binding: edge\n    {options}\nlisteners"),
            "dialers[0]",
        ),
    ];
    for (part, by, owner) in cases {
        let path = format!("{owner}.options.connectTimeoutMs");
        let expected = ["deprecated-key", "conflict"].map(|code| format!("warning {code} {path}"));
        assert_eq!(said(&changed(part, &by)), expected, "{by}");
    }
}

#[test]
fn listeners_with_mistakes_of_their_own_are_not_missed() {
    let missed = "warning missing-key listeners";
    let list = "listeners:\n  - binding: edge\n    address: tls:0.0.0.0:3022\n    options:\n      advertise: r1.example:3022\n";
    let cases = [
        ("{binding: edge}", vec!["error wrong-type listeners"]),
        ("[edge]", vec!["error wrong-type listeners[0]"]),
        ("[~]", vec!["error wrong-type listeners[0]"]),
        (
            "[{address: a}]",
            vec!["error missing-key listeners[0].binding"],
        ),
        (
            "[{binding: egde}]",
            vec!["error invalid-value listeners[0].binding"],
        ),
        (
            "[{binding: 5}]",
            vec!["error wrong-type listeners[0].binding"],
        ),
        ("[]", vec![missed]),
        (
            "[{binding: transport, address: tls:0.0.0.0:1}]",
            vec![missed],
        ),
    ];
    for (value, expected) in cases {
        let file = changed(list, &format!("listeners: {value}\n"));
        assert_eq!(said(&file), expected, "{value}");
    }
}

#[test]
fn values_of_a_list_are_named_as_they_are_written() {
    let written = |values: &str, indent: &str| {
        let values = values.split(' ');
        values.fold(String::new(), |text, value| {
            format!("{text}\n{indent}- {value}")
        })
    };
    let cases = [
        (
            "ctrl.endpoints",
            "  endpoint: tls:ctrl.example:6262\n",
            "  endpoints: LIST\n",
            "tls:a:1 b 5",
        ),
        (
            "edge.csr.sans.ip",
            "    sans:\n",
            "    sans:\n      ip: LIST\n",
            "10.0.0.1 b 5",
        ),
        (
            "edge.csr.sans.uri",
            "    sans:\n",
            "    sans:\n      uri: LIST\n",
            "urn:x a%zz 5",
        ),
        (
            "link.dialers[0].groups",
            "    - binding: transport\nedge",
            "    - binding: transport\n      groups: LIST\nedge",
            "a 4 5",
        ),
        (
            "managedConfig.allow",
            "v: 3\n",
            "v: 3\nmanagedConfig:\n  allow: LIST\n",
            "a '' 5",
        ),
    ];
    for (path, part, by, values) in cases {
        let errors = |list: &str| {
            let said = said(&changed(part, &by.replace("LIST", list)));
            let errors = said.iter().filter_map(|line| line.strip_prefix("error "));
            let paths = errors.map(|line| line.split(' ').nth(1).unwrap_or_default().to_owned());
            paths.collect::<Vec<_>>()
        };
        let one_line = format!("[{}]", values.replace(' ', ", "));
        assert_eq!(errors(&one_line), [path, path], "{path}");
        let lines = written(values, &" ".repeat(10));
        assert_eq!(
            errors(&lines),
            [format!("{path}[1]"), format!("{path}[2]")],
            "{path}"
        );
    }
}

#[test]
fn name_servers_that_are_asked_have_a_form() {
    let path = "error invalid-value listeners[1].options.dnsUpstream";
    for (servers, wrong) in [
        ("udp://10.0.0.2:53", false),
        ("tcp://dns.example:53", false),
        ("\"\"", false),
        ("[udp://10.0.0.2:53, \"\"]", false),
        ("x", true),
        ("10.0.0.2:53", true),
        ("udp://10.0.0.2", true),
        ("udp://a:99999", true),
        ("udp://a:0", true),
        ("udp://:53", true),
        ("tls://a:853", true),
    ] {
        let found = said(&tunnel(&format!(
            "{{mode: tproxy, dnsUpstream: {servers}}}"
        )));
        let mut expected = vec![TUNNEL];
        expected.extend(wrong.then_some(path));
        assert_eq!(found, expected, "{servers}");
    }
}

#[test]
fn circuits_are_taken_down_by_a_timer_that_needs_an_interval() {
    let key = "suspicious-value forwarder.xgressCloseCheckInterval";
    for (value, expected) in [("0", Some(format!("warning {key}"))), ("1", None)] {
        let by = format!("forwarder: {{xgressCloseCheckInterval: {value}}}\n");
        let expected: Vec<String> = expected.into_iter().collect();
        assert_eq!(said(&changed("", &by)), expected, "{value}");
    }
}

#[test]
fn an_address_that_nobody_is_told_is_looked_at_as_the_original_does() {
    let path = "listeners[1].options.advertise";
    let dead = format!("note dead-key {path}");
    for binding in ["tunnel", "transport"] {
        for (value, more) in [
            ("r1.example:3022", None),
            ("r.example:3022", Some("warning not-in-sans")),
            ("5", Some("error wrong-type")),
        ] {
            let entry = format!(
                "  - {{binding: {binding}, options: {{mode: host, advertise: \"VALUE\"}}}}\n"
            );
            let entry = if binding == "tunnel" {
                entry
            } else {
                entry.replace(
                    "options: {mode: host,",
                    "address: tls:0.0.0.0:7000, options: {",
                )
            };
            let written = if value == "5" {
                entry.replace("\"VALUE\"", value)
            } else {
                entry.replace("VALUE", value)
            };
            let mut found = said(&changed("", &written));
            found.retain(|line| line != TUNNEL);
            found.sort();
            let mut expected = vec![dead.clone()];
            expected.extend(more.map(|more| format!("{more} {path}")));
            expected.sort();
            assert_eq!(found, expected, "{written}");
        }
    }
}

#[test]
fn names_of_the_certificate_may_have_any_case() {
    for (part, by) in [
        ("advertise: r1.example", "advertise: R1.Example"),
        ("dns: [r1.example]", "dns: [R1.EXAMPLE]"),
        ("dns: [r1.example]", "dns: [\"*.Example\"]"),
    ] {
        assert_eq!(said(&changed(part, by)), Vec::<String>::new(), "{by}");
    }
    let other = changed("dns: [r1.example]", "dns: [r2.example]");
    let path = "listeners[0].options.advertise";
    assert_eq!(said(&other), [format!("warning not-in-sans {path}")]);
}
