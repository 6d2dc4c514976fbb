//! Listeners on one port, by both verdicts.

use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::{CheckOptions, SourceFile, check};

use crate::findings::BASE;

/// Writes a file with the listeners of a line, as in `link tls:0.0.0.0:1, edge tls:0.0.0.0:2`.
fn file(line: &str) -> String {
    let mut file = BASE.to_owned();
    for listener in line.split(", ") {
        let (kind, address) = listener.split_once(' ').expect("kind and address");
        let (before, by) = match kind {
            "link" => (
                "link:\n",
                format!(
                    "link:\n  listeners:\n    - {{binding: transport, bind: \"{address}\", advertise: \"tls:r1.example:1\"}}\n"
                ),
            ),
            "again" => (
                "  listeners:\n",
                format!(
                    "  listeners:\n    - {{binding: transport, bind: \"{address}\", advertise: \"tls:r1.example:1\"}}\n"
                ),
            ),
            "edge" => ("tls:0.0.0.0:3022", format!("\"{address}\"")),
            "ctrl" => (
                "ctrl:\n",
                format!(
                    "ctrl:\n  listeners: [{{bind: \"{address}\", advertise: \"tls:r1.example:1\"}}]\n"
                ),
            ),
            "proxy" => (
                "edge:\n  csr",
                format!("edge:\n  apiProxy: {{listener: \"{address}\", upstream: \"a:1\"}}\n  csr"),
            ),
            "transport" => (
                ":3022\n",
                format!(":3022\n  - {{binding: transport, address: \"{address}\"}}\n"),
            ),
            "web" => (
                "v: 3\n",
                format!(
                    "v: 3\nweb: [{{name: h, bindPoints: [{{interface: \"{address}\", address: \"r1.example:1\"}}], apis: [{{binding: health-checks}}]}}]\n"
                ),
            ),
            _ => (
                "v: 3\n",
                format!("v: 3\ntransport: {{protocol: {address}}}\n"),
            ),
        };
        let end = file.rfind(before).expect("a place for it");
        file.replace_range(end..end + before.len(), &by);
    }
    file
}

/// Names the key whose port is taken, by Portcullis and by the original.
fn taken(file: &str) -> [String; 2] {
    let text = SourceFile::new("router.yml", file.as_bytes());
    let own = check(&text, &CheckOptions::new()).findings;
    let original = evaluate(&text, &Machine::new()).findings;
    [own, original].map(|findings| {
        let mut taken = findings
            .into_iter()
            .map(|finding| finding.diagnostic)
            .filter(|diagnostic| diagnostic.code == "port-taken");
        taken
            .next()
            .map_or_else(String::new, |diagnostic| diagnostic.path.to_string())
    })
}

#[test]
fn listeners_share_a_port_when_their_protocols_differ() {
    let interface = "web[0].bindPoints[0].interface";
    for (line, expected) in [
        ("link tls:0.0.0.0:3022", ""),
        ("link tls:0.0.0.0:3022, ctrl tls:0.0.0.0:3022", ""),
        ("link tls:0.0.0.0:1, transport tls:0.0.0.0:1", ""),
        ("link tls:0.0.0.0:1, transport wss:0.0.0.0:1", ""),
        ("link tls:0.0.0.0:1, transport udp:0.0.0.0:1", ""),
        ("link tls:0.0.0.0:1, web 0.0.0.0:1", ""),
        ("ctrl tls:0.0.0.0:1, web 0.0.0.0:1", ""),
        ("link tcp:0.0.0.0:3022", "listeners[0].address"),
        ("transport tls:0.0.0.0:3022", "listeners[1].address"),
        ("web 0.0.0.0:3022", interface),
        ("link wss:0.0.0.0:1, web 0.0.0.0:1", interface),
        (
            "link tls:0.0.0.0:1, again tls:0.0.0.0:1",
            "link.listeners[1].bind",
        ),
    ] {
        assert_eq!(taken(&file(line)), [expected, expected], "{line}");
    }
}

#[test]
fn sockets_are_shared_by_what_is_written() {
    for (line, expected) in [
        ("link tls:127.0.0.1:3022", "listeners[0].address"),
        ("link tls:127.0.0.1:1, edge tls:127.0.0.2:1", ""),
        (
            "link tls:localhost:1, edge tls:127.0.0.1:1",
            "listeners[0].address",
        ),
        ("link tls:localhost:1, edge tls:localhost:1", ""),
        ("link tls:0.0.0.0:0, edge tls:0.0.0.0:0", ""),
        (
            "link tls:0.0.0.0:0, again tls:0.0.0.0:0",
            "link.listeners[1].bind",
        ),
        ("link tcp:0.0.0.0:0, again tcp:0.0.0.0:0", ""),
        ("link tls:0.0.0.0:3022, protocol x", "listeners[0].address"),
    ] {
        assert_eq!(taken(&file(line)), [expected, expected], "{line}");
    }
}

#[test]
fn the_proxy_of_the_interface_shares_with_nobody() {
    let [own, original] = taken(&file("proxy 0.0.0.0:3022"));
    assert_eq!(own, "edge.apiProxy.listener");
    assert_eq!(original, "listeners[0].address");
}
