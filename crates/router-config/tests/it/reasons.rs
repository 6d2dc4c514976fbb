//! All reasons that the verdict of the original names.

use crate::verdicts::{WEB, changed, judged};

/// Lists the verdict and path of everything that stops the original, in its order.
pub(crate) fn reasons(file: &str) -> Vec<String> {
    let judgment = judged(file);
    let line = |finding: &portcullis_router_config::Finding| {
        let verdict = finding.effect?.verdict;
        Some(format!("{verdict} {}", finding.diagnostic.path))
    };
    judgment.findings.iter().filter_map(line).collect()
}

#[test]
fn every_reason_of_a_web_server_is_told() {
    let cases = [
        (
            "identity: {cert: 5, server_cert: [], key: ''}",
            vec![
                "crash web[0].identity.cert",
                "crash web[0].identity.server_cert",
                "refuse web[0].identity.key",
                "refuse web[0].identity.ca",
            ],
        ),
        (
            "options: {minTLSVersion: a, maxTLSVersion: b}",
            vec![
                "refuse web[0].options.minTLSVersion",
                "refuse web[0].options.maxTLSVersion",
            ],
        ),
    ];
    let web = WEB.replace("PORT", "8081");
    for (keys, expected) in cases {
        let file = changed("", &format!("{web}    {keys}\n"));
        assert_eq!(reasons(&file), expected, "{keys}");
    }
}

#[test]
fn every_reason_of_a_listener_is_told() {
    let edge = "    address: tls:0.0.0.0:3022\n    options:\n      advertise: r1.example:3022\n";
    let cases = [
        (
            edge,
            "    address: junk\n    options: {}\n".to_owned(),
            vec![
                "refuse listeners[0].address",
                "refuse listeners[0].options.advertise",
            ],
        ),
        (
            edge,
            "    bind: tls:0.0.0.0:3022\n".to_owned(),
            vec!["refuse listeners[0].address", "refuse listeners[0].options"],
        ),
        (
            "link:\n",
            "link:\n  listeners: [{binding: transport, advertise: rubbish}]\n".to_owned(),
            vec![
                "refuse link.listeners[0].bind",
                "refuse link.listeners[0].advertise",
            ],
        ),
        (
            "link:\n",
            "  listeners: [{bind: x, advertise: y, groups: ~}]\nlink:\n".to_owned(),
            vec![
                "refuse ctrl.listeners[0].bind",
                "refuse ctrl.listeners[0].advertise",
                "refuse ctrl.listeners[0].groups",
            ],
        ),
        (
            "",
            "  - {binding: proxy, options: {mtu: x}}\n".to_owned(),
            vec![
                "crash listeners[1].options.mtu",
                "refuse listeners[1].service",
                "refuse listeners[1].address",
            ],
        ),
        (
            "dns: [r1.example]",
            "ip:\n        - 10.0.0.1\n        - a\n        - 5".to_owned(),
            vec!["refuse edge.csr.sans.ip[1]", "refuse edge.csr.sans.ip[2]"],
        ),
        (
            "",
            "  - {binding: tunnel, options: {lanIf: [1, a, 2]}}\n".to_owned(),
            vec![
                "refuse listeners[1].options.lanIf",
                "refuse listeners[1].options.lanIf",
            ],
        ),
        (
            "  - binding: edge\n    address: tls:0.0.0.0:3022\n    options:\n      advertise: r1.example:3022\n",
            "  - tunnel\n".to_owned(),
            vec!["crash listeners[0]"],
        ),
    ];
    for (part, by, expected) in cases {
        assert_eq!(reasons(&changed(part, &by)), expected, "{by}");
    }
}
