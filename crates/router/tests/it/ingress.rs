//! What the file says of listeners without SDKs, and what their clients say first.

use std::time::Duration;

use portcullis_router::ingress::{
    DialAnswer, DialLine, DialLineError, Entrance, MAX_LINE, PacketDoor, StreamDoor,
    ingress_settings,
};

use crate::world::config;

#[test]
fn listeners_of_the_file_are_read() {
    let config = config(
        "listeners:
  - {binding: edge, address: 'tls:0.0.0.0:3022', options: {advertise: 'r1.example:3022'}}
  - {binding: transport, address: 'tls:[::1]:7000', options: {getCircuitTimeout: 7s, rxBufferSize: 8}}
  - {binding: transport_udp, address: 'udp4:0.0.0.0:7001'}
  - {binding: proxy, address: 'tcp:127.0.0.1:7002', service: echo}
  - {binding: proxy_udp, address: 'udp:127.0.0.1:7003', service: dns}
edge: {csr: {sans: {dns: [r1.example]}}}
",
    );
    let settings = ingress_settings(&config.listeners).unwrap();
    let entrances: Vec<_> = settings
        .iter()
        .map(|one| (one.key.as_str(), one.entrance.clone()))
        .collect();
    let streams = |address: &str, service: Option<&str>| {
        Entrance::Streams(StreamDoor {
            address: address.parse().unwrap(),
            service: service.map(str::to_owned),
        })
    };
    let packets = |address: &str, service: Option<&str>| {
        Entrance::Packets(PacketDoor {
            address: address.parse().unwrap(),
            service: service.map(str::to_owned),
        })
    };
    assert_eq!(
        entrances,
        [
            ("listeners[1]", streams("tls:[::1]:7000", None)),
            ("listeners[2]", packets("udp4:0.0.0.0:7001", None)),
            ("listeners[3]", streams("tcp:127.0.0.1:7002", Some("echo"))),
            ("listeners[4]", packets("udp:127.0.0.1:7003", Some("dns"))),
        ]
    );
    let timeouts: Vec<_> = settings.iter().map(|one| one.circuit_timeout).collect();
    assert_eq!(timeouts[0], Duration::from_secs(7));
    assert_eq!(timeouts[1], Duration::from_secs(30), "the default");
    assert_eq!(settings[0].end.receive_buffer, 8);
}

#[test]
fn listeners_that_cannot_be_opened_name_the_key() {
    for (listener, text) in [
        (
            "{binding: transport, address: 'wss:0.0.0.0:7000'}",
            "`listeners[0].address`: wss is not spoken here",
        ),
        (
            "{binding: proxy, address: 'udp:0.0.0.0:7000', service: dns}",
            "`listeners[0].address`: datagrams have a listener of their own; use the binding `proxy_udp`",
        ),
    ] {
        let config = config(&format!("listeners: [{listener}]\n"));
        let error = ingress_settings(&config.listeners).unwrap_err();
        assert_eq!(error.to_string(), text, "{listener}");
    }
}

#[test]
fn first_lines_name_a_service() {
    for (line, client, service) in [
        (r#"{"id":"me","svcId":"echo"}"#, "me", "echo"),
        ("{\"svcId\":\"a@echo\"}\n", "", "a@echo"),
        (
            r#" { "id": null, "svcId": "ech\u00f6", "more": [1] } "#,
            "",
            "echö",
        ),
    ] {
        let expected = DialLine {
            client: client.to_owned(),
            service: service.to_owned(),
        };
        assert_eq!(
            DialLine::parse(line.as_bytes()).unwrap(),
            expected,
            "{line}"
        );
    }
}

#[test]
fn other_first_lines_are_refused() {
    for line in ["", "\n", "GET / HTTP/1.1", "[]", r#"{"svcId":1}"#, "{}x"] {
        let error = DialLine::parse(line.as_bytes()).unwrap_err();
        assert!(matches!(error, DialLineError::NoJson(_)), "{line}: {error}");
    }
    for line in ["{}", r#"{"svcId":""}"#, r#"{"svcId":null}"#] {
        let error = DialLine::parse(line.as_bytes()).unwrap_err();
        assert!(matches!(error, DialLineError::NoService), "{line}: {error}");
    }
    let long = format!(r#"{{"svcId":"{}"}}"#, "x".repeat(MAX_LINE));
    let error = DialLine::parse(long.as_bytes()).unwrap_err();
    assert!(matches!(error, DialLineError::TooLong), "{error}");
}

#[test]
fn answers_are_lines() {
    let connected = DialAnswer::Connected {
        circuit: "1ZZJ".to_owned(),
    };
    assert_eq!(
        connected.to_line(),
        b"{\"scc\":true,\"msg\":\"\",\"circuitId\":\"1ZZJ\"}\n"
    );
    let refused = DialAnswer::Refused {
        reason: "no \"echo\"\n".to_owned(),
    };
    assert_eq!(
        refused.to_line(),
        b"{\"scc\":false,\"msg\":\"no \\\"echo\\\"\\n\",\"circuitId\":\"\"}\n"
    );
}
