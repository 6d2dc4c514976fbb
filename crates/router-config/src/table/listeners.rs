//! Top-level `listeners` and `dialers`.

use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, LONG_QUEUE};
use crate::table::key::{Form, Group, Key, Kind, State, Variant};
use crate::table::tunnel::TUNNEL;
use crate::table::xgress::{EDGE_LOOKUPS, XGRESS, XGRESS_CONNECT};

const BINDING: Group = &[Key::new(
    "binding",
    Kind::Text(Form::Filled),
    "Component that does the work. It decides which other keys there are.",
)
.required()
.example("edge")];

const ADDRESS: Group = &[
    Key::new(
        "address",
        Kind::Text(Form::Address),
        "Address to listen on.",
    )
    .required()
    .example("tls:0.0.0.0:3022"),
    BIND,
];

const EDGE_ADDRESS: Group = &[
    Key::new(
        "address",
        Kind::Text(Form::EdgeAddress),
        "Address to listen on. OpenZiti does not understand IPv6 addresses here.",
    )
    .required()
    .example("tls:0.0.0.0:3022"),
    Key::new("bind", Kind::Text(Form::EdgeAddress), BIND.doc).state(State::Alias("address")),
];

const PACKET_ADDRESS: Group = &[
    Key::new(
        "address",
        Kind::Text(Form::PacketAddress),
        "Address to listen on.",
    )
    .required()
    .example("udp:0.0.0.0:5353"),
    Key::new("bind", Kind::Text(Form::PacketAddress), BIND.doc).state(State::Alias("address")),
];

const BIND: Key = Key::new(
    "bind",
    Kind::Text(Form::Address),
    "Another spelling of `address`, which OpenZiti does not know.",
)
.state(State::Alias("address"));

const EDGE_ENTRY: Group = &[
    Key::new(
        "advertise",
        Kind::Text(Form::Advertised),
        "Belongs under `options`; OpenZiti does not look here.",
    )
    .state(State::Alias("options.advertise"))
    .example("router.example.test:3022"),
    Key::new(
        "options",
        Kind::Map(&[
            EDGE_OPTIONS,
            XGRESS,
            LONG_QUEUE,
            CHANNEL,
            CHANNEL_CONNECT,
            EDGE_LOOKUPS,
        ]),
        "Options of the listener, of its channel and of its circuits.",
    ),
];

const EDGE_OPTIONS: Group = &[Key::new(
    "advertise",
    Kind::Text(Form::Advertised),
    "Host and port that clients dial, without a kind of connection in front. The host must be in the \
     certificate, so put it among the SANs of the `csr`.",
)
.example("router.example.test:3022")];

const SERVICE: Group = &[Key::new(
    "service",
    Kind::Text(Form::Filled),
    "Service that everything is sent to.",
)
.required()
.example("echo")];

const PLAIN_OPTIONS: Group = &[Key::new(
    "options",
    Kind::Map(&[ANY_ADVERTISE, XGRESS, XGRESS_CONNECT]),
    "Options of the circuits.",
)];

const ANY_ADVERTISE: Group = &[Key::new(
    "advertise",
    Kind::Text(Form::Free),
    "Nothing; only edge listeners tell clients an address.",
)
.state(State::Dead(
    "only edge listeners tell clients an address; yet OpenZiti checks it against the certificate",
))];

const TUNNEL_ENTRY: Group = &[
    Key::new(
        "options",
        Kind::Map(&[TUNNEL, ANY_ADVERTISE, XGRESS, XGRESS_CONNECT]),
        "Options of the tunnel and of its circuits.",
    ),
    Key::dead("address", "a tunnel opens its own ports"),
    Key::dead("bind", "a tunnel opens its own ports"),
];

/// Listeners by binding.
pub(crate) const LISTENERS: &[Variant] = &[
    Variant {
        binding: "edge",
        keys: &[BINDING, EDGE_ADDRESS, EDGE_ENTRY],
        doc: "Serves SDKs and tunnelers. Needs the section `edge`. There may be several, such as one for \
              `tls` and one for `wss`.",
    },
    Variant {
        binding: "tunnel",
        keys: &[BINDING, TUNNEL_ENTRY],
        doc: "A client built into the router. The router must also be allowed to tunnel at the controller.",
    },
    Variant {
        binding: "transport",
        keys: &[BINDING, ADDRESS, PLAIN_OPTIONS],
        doc: "A plain way into the fabric.",
    },
    Variant {
        binding: "transport_udp",
        keys: &[BINDING, PACKET_ADDRESS, PLAIN_OPTIONS],
        doc: "A plain way into the fabric for datagrams.",
    },
    Variant {
        binding: "proxy",
        keys: &[BINDING, ADDRESS, SERVICE, PLAIN_OPTIONS],
        doc: "Sends everything that connects to one service.",
    },
    Variant {
        binding: "proxy_udp",
        keys: &[BINDING, PACKET_ADDRESS, SERVICE, PLAIN_OPTIONS],
        doc: "Sends datagrams to one service.",
    },
];

const DIALER_OPTIONS: Group = &[Key::new(
    "options",
    Kind::Map(&[XGRESS, LONG_QUEUE, CHANNEL, CHANNEL_CONNECT, EDGE_LOOKUPS]),
    "Options of the circuits that end here. OpenZiti reads them at the first dial, and a mistake \
     stops it only then.",
)];

const TUNNEL_DIALER: Group = &[Key::new(
    "options",
    Kind::Map(&[TUNNEL, XGRESS, XGRESS_CONNECT]),
    "Options of the circuits that end at services hosted by the tunnel.",
)];

const fn dialer(binding: &'static str, doc: &'static str) -> Variant {
    let keys: &[Group] = &[BINDING, DIALER_OPTIONS];
    Variant { binding, keys, doc }
}

/// Dialers by binding.
pub(crate) const DIALERS: &[Variant] = &[
    dialer("transport", "Dials services over TCP and TLS."),
    dialer("transport_udp", "Dials services over UDP."),
    dialer("proxy", "Nothing in OpenZiti, which cannot dial with it."),
    dialer(
        "proxy_udp",
        "Nothing in OpenZiti, which cannot dial with it.",
    ),
    dialer(
        "udp",
        "Nothing: the binding does not exist any more, `transport_udp` took its place.",
    ),
    dialer("edge", "Dials services that SDKs host."),
    dialer(
        "edge_transport",
        "Dials the addresses of terminators made by identities.",
    ),
    Variant {
        binding: "tunnel",
        keys: &[BINDING, TUNNEL_DIALER],
        doc: "Dials services that the tunnel hosts.",
    },
];
