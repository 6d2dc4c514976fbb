//! `transport` and `proxy`: the way messages travel.

use crate::table::identity::FULL_IDENTITY;
use crate::table::key::{Form, Group, Key, Kind, State, Unit};

const WESTWORLD: &str = "the protocol does not exist any more";

/// The section `transport`.
pub(crate) const TRANSPORT: Group = &[
    Key::new("wss", Kind::Map(&[WSS]), "WebSocket listeners."),
    Key::new("dtls", Kind::Map(&[DTLS]), "DTLS connections."),
    Key::duration("handshakeTimeout", "How long a DTLS handshake may take.")
        .default("30s")
        .example("30s"),
    Key::new(
        "protocol",
        Kind::Text(Form::Free),
        "Protocol that is negotiated in TLS. The router sets it by itself.",
    )
    .example("ziti-edge"),
    Key::new(
        "proxy",
        Kind::Map(&[PROXY]),
        "Proxy for connections to services. That for controllers and links is `proxy` at the top level.",
    ),
    Key::new(
        "westworld3",
        Kind::Map(&[WESTWORLD3]),
        "Tuning of a protocol that is gone.",
    )
    .state(State::Dead(WESTWORLD)),
    Key::dead("westworld2", WESTWORLD),
    Key::dead(
        "ws",
        "WebSockets without TLS are not served; the section for TLS is `wss`",
    ),
];

const fn seconds(name: &'static str, doc: &'static str) -> Key {
    let (min, max, unit) = (0, 86_400, Unit::Seconds);
    Key::new(name, Kind::Integer { min, max, unit }, doc)
}

const fn bytes(name: &'static str, doc: &'static str) -> Key {
    let (min, max, unit) = (0, i32::MAX as i64, Unit::Bytes);
    Key::new(name, Kind::Integer { min, max, unit }, doc)
}

const WSS: Group = &[
    seconds("writeTimeout", "How long one write may take.")
        .default("10")
        .example("10"),
    seconds("readTimeout", "How long one read may take.")
        .default("5")
        .example("5"),
    seconds("idleTimeout", "How long a connection may be silent.")
        .default("120")
        .example("120"),
    seconds("pongTimeout", "How long the answer to a ping may take.")
        .default("60")
        .example("60"),
    seconds("pingInterval", "How often a ping is sent.")
        .default("54")
        .example("54"),
    seconds("handshakeTimeout", "How long the handshake may take.")
        .default("10")
        .example("10"),
    bytes("readBufferSize", "Buffer for what is read.")
        .default("4096")
        .example("4096"),
    bytes("writeBufferSize", "Buffer for what is written.")
        .default("4096")
        .example("4096"),
    Key::new(
        "enableCompression",
        Kind::Bool,
        "Whether messages are compressed.",
    )
    .default("true")
    .example("true"),
    Key::new(
        "identity",
        Kind::Map(&[FULL_IDENTITY]),
        "Certificates in place of the router's.",
    ),
];

const DTLS: Group = &[
    bytes(
        "maxBytesPerSecond",
        "Bound on what is sent in a second; not bounded by default.",
    )
    .example("1000000"),
    bytes("readBufferSize", "Buffer for what is read.")
        .default("4194304")
        .example("4194304"),
    bytes("writeBufferSize", "Buffer for what is written.")
        .default("4194304")
        .example("4194304"),
];

const WESTWORLD3: Group = &[
    Key::count("profile_version", 0, i64::MAX, "Version of the settings.").example("1"),
    bytes("tx_portal_min_sz", "Smallest window.").example("16384"),
    bytes("tx_portal_max_sz", "Largest window.").example("4194304"),
    Key::new(
        "instrument",
        Kind::Map(&[INSTRUMENT]),
        "Measurements of the protocol.",
    ),
];

const INSTRUMENT: Group = &[
    Key::new("name", Kind::Text(Form::Free), "Kind of measurements.").example("metrics"),
    Key::new("path", Kind::Text(Form::Free), "Folder that gets them.").example("/tmp"),
    Key::milliseconds("snapshot_ms", "How often they are taken.").example("100"),
    Key::new("enabled", Kind::Bool, "Whether they are taken.").example("false"),
];

/// The section `proxy`.
pub(crate) const PROXY: Group = &[
    Key::new(
        "type",
        Kind::Word(&["none", "http"]),
        "Kind of proxy: `http` is one that understands `CONNECT`.",
    )
    .required()
    .example("http"),
    Key::new(
        "address",
        Kind::Text(Form::HostPort),
        "Host and port of the proxy.",
    )
    .example("proxy.example.test:3128"),
    Key::new("username", Kind::Text(Form::Free), "Name to log in with.").example("router"),
    Key::new(
        "password",
        Kind::Text(Form::Free),
        "Password; not used without `username`.",
    )
    .example("\"${PROXY_PASSWORD}\""),
];
