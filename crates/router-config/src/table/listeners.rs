//! Top-level `listeners` and `dialers`.

use crate::binding::Binding;
use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, LONG_QUEUE};
use crate::table::key::{BindingVariant, Key, KeyGroup, KeyState, StringFormat, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};
use crate::table::tunnel::TUNNEL;
use crate::table::xgress::{EDGE_LOOKUPS, XGRESS, XGRESS_CONNECT};

/// String whose absence is refused and whose other types crash.
const TEXT: OpenZitiRule = OpenZitiRule::new(ReadMode::String, OnMistake::Crash).required();

const BINDING_KEY: Key = Key::new(
    "binding",
    ValueType::String(StringFormat::NonEmpty),
    "Component that does the work. It decides which other keys there are.",
)
.required()
.example("edge");

pub(crate) const LISTENER_BINDING: KeyGroup =
    &[BINDING_KEY.openziti(OpenZitiRule::new(ReadMode::String, OnMistake::Refuse).required())];

pub(crate) const DIALER_BINDING: KeyGroup = &[BINDING_KEY.openziti(TEXT)];

pub(crate) const LISTENER_ADDRESS: KeyGroup = &[
    Key::new(
        "address",
        ValueType::String(StringFormat::Address),
        "Address to listen on.",
    )
    .required()
    .openziti(TEXT.non_empty())
    .example("tls:0.0.0.0:3022"),
    BIND,
];

const EDGE_ADDRESS: KeyGroup = &[
    Key::new(
        "address",
        ValueType::String(StringFormat::EdgeAddress),
        "Address to listen on. OpenZiti does not understand IPv6 addresses here.",
    )
    .required()
    .example("tls:0.0.0.0:3022"),
    Key::new(
        "bind",
        ValueType::String(StringFormat::EdgeAddress),
        BIND.doc,
    )
    .state(KeyState::Alias("address")),
];

const PACKET_ADDRESS: KeyGroup = &[
    Key::new(
        "address",
        ValueType::String(StringFormat::PacketAddress),
        "Address to listen on.",
    )
    .required()
    .example("udp:0.0.0.0:5353"),
    Key::new(
        "bind",
        ValueType::String(StringFormat::PacketAddress),
        BIND.doc,
    )
    .state(KeyState::Alias("address")),
];

const BIND: Key = Key::new(
    "bind",
    ValueType::String(StringFormat::Address),
    "Another spelling of `address`, which OpenZiti does not know.",
)
.state(KeyState::Alias("address"));

const EDGE_ENTRY: KeyGroup = &[
    Key::new(
        "advertise",
        ValueType::String(StringFormat::AdvertisedHostPort),
        "Belongs under `options`; OpenZiti does not look here.",
    )
    .state(KeyState::Alias("options.advertise"))
    .example("router.example.test:3022"),
    Key::new(
        "options",
        ValueType::Map(&[
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

pub(crate) const EDGE_OPTIONS: KeyGroup = &[Key::new(
    "advertise",
    ValueType::String(StringFormat::AdvertisedHostPort),
    "Host and port that clients dial, without a protocol in front. The host must be in the \
     certificate, so put it among the SANs of the `csr`.",
)
.openziti(TEXT.non_empty())
.example("router.example.test:3022")];

pub(crate) const SERVICE: KeyGroup = &[Key::new(
    "service",
    ValueType::String(StringFormat::NonEmpty),
    "Service that everything is sent to.",
)
.required()
.openziti(TEXT)
.example("echo")];

const PLAIN_OPTIONS: KeyGroup = &[Key::new(
    "options",
    ValueType::Map(&[ANY_ADVERTISE, XGRESS, XGRESS_CONNECT]),
    "Options of the circuits.",
)];

const ANY_ADVERTISE: KeyGroup = &[Key::new(
    "advertise",
    ValueType::String(StringFormat::Any),
    "Nothing; only edge listeners tell clients an address.",
)
.state(KeyState::Dead(
    "only edge listeners tell clients an address; yet OpenZiti checks it against the certificate",
))];

const TUNNEL_ENTRY: KeyGroup = &[
    Key::new(
        "options",
        ValueType::Map(&[TUNNEL, ANY_ADVERTISE, XGRESS, XGRESS_CONNECT]),
        "Options of the tunnel and of its circuits.",
    ),
    Key::dead("address", "a tunnel opens its own ports"),
    Key::dead("bind", "a tunnel opens its own ports"),
];

/// Listeners by binding.
pub(crate) const LISTENERS: &[BindingVariant] = &[
    BindingVariant {
        binding: Binding::Edge.name(),
        keys: &[LISTENER_BINDING, EDGE_ADDRESS, EDGE_ENTRY],
        doc: "Serves SDKs and tunnelers. Needs the section `edge`. There may be several, such as one for \
              `tls` and one for `wss`.",
    },
    BindingVariant {
        binding: Binding::Tunnel.name(),
        keys: &[LISTENER_BINDING, TUNNEL_ENTRY],
        doc: "A client built into the router. The router must also be allowed to tunnel at the controller.",
    },
    BindingVariant {
        binding: Binding::Transport.name(),
        keys: &[LISTENER_BINDING, LISTENER_ADDRESS, PLAIN_OPTIONS],
        doc: "A plain way into the fabric.",
    },
    BindingVariant {
        binding: Binding::TransportUdp.name(),
        keys: &[LISTENER_BINDING, PACKET_ADDRESS, PLAIN_OPTIONS],
        doc: "A plain way into the fabric for datagrams.",
    },
    BindingVariant {
        binding: Binding::Proxy.name(),
        keys: &[LISTENER_BINDING, LISTENER_ADDRESS, SERVICE, PLAIN_OPTIONS],
        doc: "Sends everything that connects to one service.",
    },
    BindingVariant {
        binding: Binding::ProxyUdp.name(),
        keys: &[LISTENER_BINDING, PACKET_ADDRESS, SERVICE, PLAIN_OPTIONS],
        doc: "Sends datagrams to one service.",
    },
];

const DIALER_OPTIONS: KeyGroup = &[Key::new(
    "options",
    ValueType::Map(&[XGRESS, LONG_QUEUE, CHANNEL, CHANNEL_CONNECT, EDGE_LOOKUPS]),
    "Options of the circuits that end here. OpenZiti reads them at the first dial, and a mistake \
     stops it only then.",
)];

const TUNNEL_DIALER: KeyGroup = &[Key::new(
    "options",
    ValueType::Map(&[TUNNEL, XGRESS, XGRESS_CONNECT]),
    "Options of the circuits that end at services hosted by the tunnel.",
)];

const fn dialer(binding: Binding, doc: &'static str) -> BindingVariant {
    BindingVariant {
        binding: binding.name(),
        keys: &[DIALER_BINDING, DIALER_OPTIONS],
        doc,
    }
}

/// Dialers by binding.
pub(crate) const DIALERS: &[BindingVariant] = &[
    dialer(Binding::Transport, "Dials services over TCP and TLS."),
    dialer(Binding::TransportUdp, "Dials services over UDP."),
    dialer(
        Binding::Proxy,
        "Nothing in OpenZiti, which cannot dial with it.",
    ),
    dialer(
        Binding::ProxyUdp,
        "Nothing in OpenZiti, which cannot dial with it.",
    ),
    dialer(
        Binding::Udp,
        "Nothing: the binding does not exist any more, `transport_udp` took its place.",
    ),
    dialer(Binding::Edge, "Dials services that SDKs host."),
    dialer(
        Binding::EdgeTransport,
        "Dials the addresses of terminators made by identities.",
    ),
    BindingVariant {
        binding: Binding::Tunnel.name(),
        keys: &[DIALER_BINDING, TUNNEL_DIALER],
        doc: "Dials services that the tunnel hosts.",
    },
];
