//! Files whose verdict by the original follows from its rules, beyond the recorded cases.

use portcullis_router_config::SourceFile;
use portcullis_router_config::openziti::{Evaluation, Machine, evaluate};

use crate::findings::BASE;
use crate::reasons::reasons;

pub(crate) fn judged(text: &str) -> Evaluation {
    let text = SourceFile::new("router.yml", text.as_bytes());
    evaluate(&text, &Machine::new())
}

/// Writes the verdict with its stage, as in `refuse/load`, and the place of the first finding.
fn verdict(judgment: &Evaluation) -> String {
    let Some(stage) = judgment.stage else {
        return judgment.verdict.to_string();
    };
    let first = judgment
        .findings
        .first()
        .map(|finding| finding.diagnostic.path.to_string());
    format!("{}/{stage} {}", judgment.verdict, first.unwrap_or_default())
}

/// Replaces a part of the base, or adds to its end when the part is empty.
pub(crate) fn changed(part: &str, by: &str) -> String {
    if part.is_empty() {
        format!("{BASE}{by}")
    } else {
        assert!(BASE.contains(part), "{part}");
        BASE.replace(part, by)
    }
}

pub(crate) const WEB: &str = "\
web:
  - name: h
    apis:
      - binding: health-checks
    bindPoints:
      - interface: 0.0.0.0:PORT
        address: r1.example:8081
";

#[test]
fn web_servers_find_their_port_taken() {
    let link = "link:\n  listeners:\n    - binding: transport\n      bind: tls:0.0.0.0:8081\n      advertise: tls:r1.example:8081\n";
    let taken = "crash/run web[0].bindPoints[0].interface";
    let cases = [
        (changed("", ""), "3022", taken),
        (changed("", ""), "+3022", taken),
        (changed("", ""), "8081", "accept"),
        (changed("", ""), "+8081", "accept"),
        (changed("link:\n", link), "8081", "accept"),
        (
            changed("link:\n", &link.replace("tls", "tcp")),
            "8081",
            taken,
        ),
    ];
    for (file, port, expected) in cases {
        let file = format!("{file}{}", WEB.replace("PORT", port));
        assert_eq!(verdict(&judged(&file)), expected, "{file}");
    }
}

#[test]
fn controllers_are_looked_at_in_intervals_longer_than_zero() {
    let key = "crash/run ctrl.heartbeats.checkInterval";
    for (section, heartbeats, expected) in [
        ("ctrl:\n", "checkInterval: 0s", key),
        ("ctrl:\n", "checkInterval: -1s", key),
        ("ctrl:\n", "checkInterval: 1ns", "accept"),
        ("ctrl:\n", "sendInterval: 0s", "accept"),
        ("link:\n", "checkInterval: 0s", "accept"),
    ] {
        let by = format!("{section}  heartbeats: {{{heartbeats}}}\n");
        let file = changed(section, &by);
        assert_eq!(verdict(&judged(&file)), expected, "{file}");
    }
}

#[test]
fn the_last_of_two_tunnels_is_started() {
    let good = "  - {binding: tunnel, options: {mode: tproxy, dnsSvcIpRange: 100.64.0.1/10}}\n";
    let bad = good.replace("/10", "/33");
    let path = "refuse/run listeners[2].options.dnsSvcIpRange";
    for (tunnels, expected) in [
        (format!("{bad}{good}"), "accept"),
        (format!("{good}{bad}"), path),
    ] {
        assert_eq!(verdict(&judged(&changed("", &tunnels))), expected);
    }
}

#[test]
fn files_are_judged_by_the_rules_of_the_original() {
    let cases = [
        (
            "dns: [r1.example]",
            "dns: {}",
            "refuse/load edge.csr.sans.dns",
        ),
        (
            "dns: [r1.example]",
            "email: {}",
            "refuse/load edge.csr.sans.email",
        ),
        ("dns: [r1.example]", "dns: []", "accept"),
        (
            "",
            "  - {binding: tunnel, options: {dnsUpstreamMode: ' Serial '}}\n",
            "accept",
        ),
        (
            "",
            "  - {binding: tunnel, options: {dnsUpstreamMode: ' '}}\n",
            "refuse/start listeners[1].options.dnsUpstreamMode",
        ),
        (
            "",
            "  - {binding: tunnel, options: {dnsUnanswerable: Refused}}\n",
            "accept",
        ),
        (
            "",
            "  - {binding: tunnel, options: {dnsUnanswerable: ' Refused '}}\n",
            "refuse/start listeners[1].options.dnsUnanswerable",
        ),
        ("", "x: DEEP", "accept"),
    ];
    for (part, by, expected) in cases {
        let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
        let file = changed(part, &by.replace("DEEP", &deep));
        assert_eq!(verdict(&judged(&file)), expected, "{file}");
    }
}

#[test]
fn a_list_or_map_of_the_wrong_kind_is_shown_at_its_key() {
    for value in ["\n  - a\n", "\n  a: b\n", " [a]\n", " x\n"] {
        let file = changed(
            "v: 3\n",
            &format!("v: 3\nmetrics:\n  reportInterval:{value}\n"),
        );
        let judgment = judged(
            &file
                .replace("\n  a", "\n    a")
                .replace("\n  - a", "\n    - a"),
        );
        for finding in &judgment.findings {
            assert_eq!(finding.diagnostic.line, 3, "{finding:?}");
        }
        assert!(!judgment.findings.is_empty(), "{value}");
    }
}

#[test]
fn one_mistake_does_not_hide_the_next() {
    let entry = "link:\n  listeners:\n    - binding: transport\n      bind: nonsense\n      advertise: rubbish\n";
    let pauses = "    - binding: transport\n      healthyDialBackoff: {minRetryInterval: 1ms, maxRetryInterval: 99h}\n";
    let file = changed("link:\n", entry)
        .replace("    - binding: transport\nedge", &format!("{pauses}edge"));
    let found: Vec<String> = judged(&file)
        .findings
        .iter()
        .map(|finding| finding.diagnostic.path.to_string())
        .collect();
    assert_eq!(
        found,
        [
            "link.listeners[0].bind",
            "link.listeners[0].advertise",
            "link.dialers[0].healthyDialBackoff.minRetryInterval",
            "link.dialers[0].healthyDialBackoff.maxRetryInterval",
        ]
    );
}

#[test]
fn keys_in_the_file_are_looked_for_as_the_original_does() {
    let block = |label: &str| {
        format!("|-\n    -----BEGIN {label}-----\n    AAAA\n    -----END {label}-----")
    };
    let cases = [
        ("key", "pem:garbage".to_owned(), "crash/load identity.key"),
        ("key", "'pem:'".to_owned(), "refuse/load identity.key"),
        ("key", block("CERTIFICATE"), "refuse/load identity.key"),
        (
            "key",
            format!("{}\n    x", block("CERTIFICATE")),
            "crash/load identity.key",
        ),
        ("key", block("PRIVATE KEY"), "accept"),
        (
            "cert",
            "pem:garbage".to_owned(),
            "refuse/load identity.cert",
        ),
        ("cert", block("PRIVATE KEY"), "refuse/load identity.cert"),
        ("cert", block("CERTIFICATE"), "accept"),
    ];
    for (name, value, expected) in cases {
        let line = if name == "key" {
            "key: /r.key"
        } else {
            "cert: /r.cert"
        };
        let file = BASE.replacen(line, &format!("{name}: {value}"), 1);
        assert_eq!(verdict(&judged(&file)), expected, "{file}");
    }
    let without = changed("  key: /r.key\n", "");
    assert_eq!(reasons(&without), ["refuse identity.key"]);
    let empty = changed("key: /r.key", "key: ''");
    assert_eq!(reasons(&empty), ["refuse identity.key"]);
    let own = changed("  cert: /r.cert\n", "  server_key: /s.key\n").replace("  key: /r.key\n", "");
    assert_eq!(reasons(&own), ["crash identity.cert"]);
    let alternative = changed(
        "identity:\n  cert: /r.cert\n  server_cert: /r.server.cert\n  key: /r.key\n",
        "identity:\n  alt_server_certs: [{server_cert: /a.cert}]\n",
    );
    assert_eq!(
        verdict(&judged(&alternative)),
        "refuse/load identity.alt_server_certs[0].server_cert"
    );
}

#[test]
fn what_is_out_of_bounds_is_told_with_its_bounds() {
    let cases = [
        (
            "healthChecks: {linkCheck: {interval: -5s}}",
            "must be longer than zero, not -5s",
        ),
        (
            "metrics: {reportInterval: 0s}",
            "must be longer than zero, not 0s",
        ),
        (
            "forwarder: {idleTxInterval: 9223372036854775808}",
            "must be at most 9223372036854775807, not 9223372036854775808",
        ),
        (
            "v: 9223372036854775808",
            "must be the integer 3, not an integer",
        ),
        (
            "ctrl: {rateLimiter: {minSize: 5, decreaseFactor: 1.0}}",
            "must be more than 0 and less than 1, not 1",
        ),
        (
            "ctrl: {rateLimiter: {minSize: 5, increaseFactor: 0.5}}",
            "must be at least 1, not 0.5",
        ),
        (
            "ctrl: {rateLimiter: {minSize: 5, successThreshold: 1.5}}",
            "must be from 0 to 1, not 1.5",
        ),
    ];
    for (section, words) in cases {
        let judgment = judged(&changed("", &format!("{section}\n")));
        let first = judgment.findings.first().expect("a reason");
        let message = &first.diagnostic.message;
        assert!(message.contains(words), "{section}: {message}");
    }
}

#[test]
fn numbers_of_connections_are_cut_to_32_bits() {
    let link = "link:\n  listeners: [{binding: transport, bind: tls:0.0.0.0:7000, advertise: tls:r1.example:7000, options: {OPTION}}]\n";
    let ctrl = "  listeners: [{bind: tls:0.0.0.0:7000, options: {OPTION}}]\nlink:\n";
    let crash =
        |list: &str, option: &str| format!("crash/start {list}.listeners[0].options.{option}");
    let (queued, outstanding) = ("maxQueuedConnects", "maxOutstandingConnects");
    for (list, part) in [("link", link), ("ctrl", ctrl)] {
        let cases = [
            (queued, "9223372036854775807", false),
            (queued, "4294967297", true),
            (queued, "65537", true),
            (queued, "0", true),
            (outstanding, "2147483647", true),
            (outstanding, "2147483648", false),
            (outstanding, "4294967296", false),
            (outstanding, "4294967297", true),
        ];
        for (name, number, good) in cases {
            let option = format!("{name}: {number}");
            let file = changed("link:\n", &part.replace("OPTION", &option));
            let expected = if good {
                "accept".to_owned()
            } else {
                crash(list, name)
            };
            assert_eq!(verdict(&judged(&file)), expected, "{list}: {option}");
        }
    }
    // Nothing checks these two before.
    for (name, number) in [(queued, -1), (outstanding, 0), (outstanding, -1)] {
        let file = changed(
            "link:\n",
            &ctrl.replace("OPTION", &format!("{name}: {number}")),
        );
        assert_eq!(
            verdict(&judged(&file)),
            crash("ctrl", name),
            "{name}: {number}"
        );
    }
    let ignored = changed(
        "link:\n",
        &ctrl.replace("OPTION", "maxOutstandingConnects: 0.0"),
    );
    assert_eq!(verdict(&judged(&ignored)), "accept");
}

#[test]
fn blanks_around_the_address_of_a_web_server_keep_it_from_opening() {
    let web = WEB.replace("0.0.0.0:PORT", "' 0.0.0.0:8081'");
    assert_eq!(
        verdict(&judged(&changed("", &web))),
        "crash/run web[0].bindPoints[0].interface"
    );
    let told = WEB
        .replace("PORT", "8081")
        .replace("r1.example:8081", "' r1.example:8081 '");
    assert_eq!(verdict(&judged(&changed("", &told))), "accept");
}

#[test]
fn ports_are_read_as_by_what_opens_them() {
    let proxy = "edge:\n  apiProxy: {listener: 'PLACE', upstream: 'a:1'}\n";
    let packets = "LISTENERS  - {binding: transport_udp, address: 'udp:PLACE'}\n";
    let plain = "LISTENERS  - {binding: transport, address: 'tls:PLACE'}\n";
    let cases = [
        (proxy, "0.0.0.0:+1080", true),
        (proxy, ":1080", true),
        (proxy, "0.0.0.0:", true),
        (proxy, "0.0.0.0", false),
        (proxy, "0.0.0.0:1080x", false),
        (packets, "0.0.0.0:+5353", true),
        (packets, "0.0.0.0:", true),
        (packets, "5353", false),
        (plain, "0.0.0.0:+8080", false),
        (plain, "0.0.0.0:", false),
    ];
    for (section, place, good) in cases {
        let section = section.replace("PLACE", place);
        let file = match section.strip_prefix("LISTENERS") {
            Some(entry) => changed("", entry),
            None => changed("edge:\n", &section),
        };
        let accepted = verdict(&judged(&file)) == "accept";
        assert_eq!(accepted, good, "{section}");
    }
}
