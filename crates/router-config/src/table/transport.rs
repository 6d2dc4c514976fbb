//! Sections `transport` and `proxy`.

use crate::table::identity::FULL_IDENTITY;
use crate::table::key::{Key, KeyGroup, KeyState, StringFormat, Unit, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};

const TEXT: OpenZitiRule = OpenZitiRule::new(ReadMode::String, OnMistake::Refuse);
const WESTWORLD: &str = "the protocol does not exist any more";

pub(crate) const TRANSPORT: KeyGroup = &[
    Key::new("wss", ValueType::Map(&[WSS]), "WebSocket listeners."),
    Key::new("dtls", ValueType::Map(&[DTLS]), "DTLS connections."),
    Key::duration("handshakeTimeout", "How long a DTLS handshake may take.")
        .default("30s")
        .example("30s"),
    Key::new(
        "protocol",
        ValueType::String(StringFormat::Any),
        "Protocol that is negotiated in TLS. The router sets it by itself.",
    )
    .example("ziti-edge"),
    Key::new(
        "proxy",
        ValueType::Map(&[PROXY]),
        "Proxy for connections to services. That for controllers and links is `proxy` at the top level.",
    ),
    Key::new(
        "westworld3",
        ValueType::Map(&[WESTWORLD3]),
        "Tuning of a protocol that is gone.",
    )
    .state(KeyState::Dead(WESTWORLD)),
    Key::dead("westworld2", WESTWORLD),
    Key::dead(
        "ws",
        "WebSockets without TLS are not served; the section for TLS is `wss`",
    ),
];

const fn seconds(name: &'static str, doc: &'static str) -> Key {
    let (min, max, unit) = (0, 86_400, Unit::Seconds);
    Key::new(name, ValueType::Integer { min, max, unit }, doc)
}

const fn bytes(name: &'static str, doc: &'static str) -> Key {
    let (min, max, unit) = (0, i32::MAX as i64, Unit::Bytes);
    Key::new(name, ValueType::Integer { min, max, unit }, doc)
}

const WSS: KeyGroup = &[
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
    bytes("readBufferSize", "Read buffer.")
        .default("4096")
        .example("4096"),
    bytes("writeBufferSize", "Write buffer.")
        .default("4096")
        .example("4096"),
    Key::new(
        "enableCompression",
        ValueType::Bool,
        "Whether messages are compressed.",
    )
    .default("true")
    .example("true"),
    Key::new(
        "identity",
        ValueType::Map(&[FULL_IDENTITY]),
        "Certificates in place of the router's.",
    ),
];

const DTLS: KeyGroup = &[
    bytes(
        "maxBytesPerSecond",
        "Upper bound on the bytes sent per second; unlimited by default.",
    )
    .example("1000000"),
    bytes("readBufferSize", "Read buffer.")
        .default("4194304")
        .example("4194304"),
    bytes("writeBufferSize", "Write buffer.")
        .default("4194304")
        .example("4194304"),
];

const WESTWORLD3: KeyGroup = &[
    Key::count("profile_version", 0, i64::MAX, "Version of the settings.").example("1"),
    bytes("tx_portal_min_sz", "Smallest window.").example("16384"),
    bytes("tx_portal_max_sz", "Largest window.").example("4194304"),
    Key::new(
        "instrument",
        ValueType::Map(&[INSTRUMENT]),
        "Measurements of the protocol.",
    ),
];

const INSTRUMENT: KeyGroup = &[
    Key::new(
        "name",
        ValueType::String(StringFormat::Any),
        "Kind of measurements.",
    )
    .example("metrics"),
    Key::new(
        "path",
        ValueType::String(StringFormat::Any),
        "Directory that gets them.",
    )
    .example("/tmp"),
    Key::milliseconds("snapshot_ms", "How often they are taken.").example("100"),
    Key::new("enabled", ValueType::Bool, "Whether they are taken.").example("false"),
];

pub(crate) const PROXY: KeyGroup = &[
    Key::new(
        "type",
        ValueType::Enum(&["none", "http"]),
        "Kind of proxy: `http` is one that understands `CONNECT`.",
    )
    .required()
    .openziti(TEXT.required())
    .example("http"),
    Key::new(
        "address",
        ValueType::String(StringFormat::HostPort),
        "Host and port of the proxy.",
    )
    .openziti(TEXT.required())
    .example("proxy.example.test:3128"),
    Key::new(
        "username",
        ValueType::String(StringFormat::Any),
        "Name to log in with.",
    )
    .openziti(TEXT)
    .example("router"),
    Key::new(
        "password",
        ValueType::String(StringFormat::Any),
        "Password; not used without `username`.",
    )
    .openziti(TEXT)
    .example("\"${PROXY_PASSWORD}\""),
];
