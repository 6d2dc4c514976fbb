//! How mistakes are explained.

use portcullis_router_config::{CheckOptions, SourceFile, check};

use crate::own::changed;

/// Gives what is said about the first mistake, message and help.
fn first(file: &str) -> String {
    let text = SourceFile::new("router.yml", file.as_bytes());
    let report = check(&text, &CheckOptions::new());
    let mut errors = report
        .findings
        .into_iter()
        .map(|finding| finding.diagnostic);
    let first = errors.find(|diagnostic| diagnostic.severity.to_string() == "error");
    let first = first.expect("an error");
    format!("{} | {}", first.message, first.help.unwrap_or_default())
}

#[test]
fn bounds_are_told_in_numbers_that_can_be_read() {
    let limiter = "  rateLimiter: {minSize: 5, decreaseFactor: VALUE}\nlink:";
    let cases = [
        (
            "link:",
            limiter.replace("VALUE", "1.0"),
            "must be more than 0 and less than 1, not 1",
        ),
        (
            "link:",
            limiter.replace("VALUE", "0"),
            "must be more than 0 and less than 1, not 0",
        ),
        (
            "v: 3\n",
            "v: 3\nforwarder: {unresponsiveLinkTimeout: 9223372036854775807}\n".to_owned(),
            "must be from 5000 to 9223372036854, not 9223372036854775807",
        ),
        (
            "v: 3\n",
            "v: 3\nforwarder: {idleTxInterval: 9223372036854775807}\n".to_owned(),
            "must be from 0 to 9223372036854, not 9223372036854775807",
        ),
        (
            "v: 3\n",
            "v: 3\nforwarder: {idleTxInterval: -1}\n".to_owned(),
            "must be at least 0, not -1",
        ),
    ];
    for (part, by, words) in cases {
        let file = changed(part, &by);
        let text = SourceFile::new("router.yml", file.as_bytes());
        let report = check(&text, &CheckOptions::new());
        let messages: Vec<_> = report
            .findings
            .iter()
            .filter(|finding| finding.diagnostic.code == "out-of-bounds")
            .map(|finding| finding.diagnostic.message.as_str())
            .collect();
        assert!(
            matches!(messages.as_slice(), [message] if message.contains(words)),
            "{by}: {messages:?}"
        );
    }
}

#[test]
fn numbers_of_another_form_have_help() {
    let cases = [
        ("forwarder: {idleTxInterval: 4.0}", "write `4`"),
        ("forwarder: {idleTxInterval: 1e3}", "write `1000`"),
        ("forwarder: {idleTxInterval: \"1e3\"}", "write `1000`"),
        ("forwarder: {idleTxInterval: 1_000.0}", "write `1000`"),
        ("forwarder: {idleTxInterval: 1.5}", "without a fraction"),
        ("forwarder: {idleTxInterval: 1:30}", "write one number"),
        (
            "metrics: {reportInterval: 1:30}",
            "write `1m30s` or `1h30m`",
        ),
        ("metrics: {reportInterval: 1:02:03}", "write `1h02m03s`"),
        ("metrics: {reportInterval: 1.5}", "such as `1.5s`"),
        (
            "ctrl: {endpoint: tls:a:1, rateLimiter: {minSize: 5, successThreshold: \"0.5\"}}",
            "write `0.5` without quotes",
        ),
    ];
    for (section, help) in cases {
        let said = first(&changed("", &format!("{section}\n")));
        assert!(said.contains(help), "{section}: {said}");
    }
}

#[test]
fn keys_that_belong_elsewhere_are_sent_to_a_place_that_exists() {
    let cases = [
        (
            "  - {binding: tunnel, mode: host}\n",
            "`listeners[1].options.mode`",
        ),
        (
            "  - {binding: transport, address: tls:a:1, mode: host}\n",
            "`listeners[n].options.mode` with `binding: tunnel`",
        ),
        ("resolver: a\n", "with `binding: tunnel`"),
        (
            "maxAckConnections: 1\n",
            "`link.dialers[n].maxAckConnections`",
        ),
    ];
    for (by, help) in cases {
        let said = first(&changed("", by));
        assert!(said.contains(help), "{by}: {said}");
    }
}

#[test]
fn help_writes_what_can_be_written() {
    let head = "v: 3\nidentity: {cert: a, server_cert: b, key: c, ca: d}\n";
    let ctrl = "ctrl: {endpoint: tls:a:1}\n";
    let cases = [
        ("", "write `ctrl: {endpoint: tls:ctrl.example.test:6262}`"),
        ("ctrl:\n  endpoint = tls:a:1\n", "write `: ` instead of `=`"),
        (
            "ctrl:\n  endpoint:tls:a:1\n",
            "a space is missing after the colon",
        ),
        (&format!("{ctrl}y: 1\n"), "unknown section `y` | "),
        (&format!("{ctrl}5: 1\n"), "unknown section `5` | "),
        (
            &format!("{ctrl}forwarder: {{latencyProbeInterval = 5}}\n"),
            "write `: ` instead of `=`",
        ),
        (
            &format!("{ctrl}listeners:\n  - \n"),
            "`listeners[0]` must be a map of keys, not nothing | ",
        ),
        (
            &format!(
                "{ctrl}web:\n  - name: a\n    bindPoints: [{{interface: b:1, address: c:1}}]\n"
            ),
            "write `apis: [{binding: health-checks}]`",
        ),
    ];
    for (rest, told) in cases {
        let found = first(&format!("{head}{rest}"));
        assert!(found.contains(told), "{rest:?}: {found}");
        let quotes = found.contains("write it in quotes") || found.contains("``");
        assert!(!quotes, "{rest:?}: {found}");
    }
}
