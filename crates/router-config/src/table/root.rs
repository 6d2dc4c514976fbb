//! The top level of the file.

use crate::table::ctrl::CTRL;
use crate::table::edge::{CSR, EDGE};
use crate::table::forwarder::FORWARDER;
use crate::table::health::HEALTH_CHECKS;
use crate::table::identity::IDENTITY;
use crate::table::key::{Form, Group, Key, Kind};
use crate::table::link::LINK;
use crate::table::listeners::{DIALERS, LISTENERS};
use crate::table::observability::{CONNECT_EVENTS, INTERFACE_DISCOVERY, METRICS, PROFILE, TRACE};
use crate::table::original::{Original, Read, Wrong};
use crate::table::transport::{PROXY, TRANSPORT};
use crate::table::web::WEB;

/// All sections.
pub const ROOT: Group = &[
    Key::count("v", 3, 3, "Version of the format; only 3 is known.")
        .required()
        .example("3"),
    Key::new(
        "identity",
        Kind::Map(&[IDENTITY]),
        "Certificates and keys of the router.",
    )
    .required(),
    Key::new(
        "ctrl",
        Kind::Map(&[CTRL]),
        "The controllers and the way to them.",
    )
    .required(),
    Key::new(
        "link",
        Kind::Map(&[LINK]),
        "Links to other routers. Without it the router can neither dial other routers nor be dialed by \
         them.",
    ),
    Key::new(
        "dialers",
        Kind::Bindings(DIALERS),
        "How services are dialed. Without it the router cannot end circuits at services; OpenZiti \
         then dials with default options.",
    ),
    Key::new(
        "listeners",
        Kind::Bindings(LISTENERS),
        "Ways into the network. Without it nothing outside the mesh can connect.",
    ),
    Key::new(
        "csr",
        Kind::Map(&[CSR]),
        "What the router asks for in its certificates; wins over `edge.csr`. OpenZiti does not load \
         a file with neither.",
    ),
    Key::new(
        "edge",
        Kind::Map(&[EDGE]),
        "What makes this an edge router. Without it the router serves the fabric only: neither SDKs nor \
         tunnels.",
    ),
    Key::new(
        "transport",
        Kind::Map(&[TRANSPORT]),
        "Tuning of the connections.",
    ),
    Key::new(
        "forwarder",
        Kind::Map(&[FORWARDER]),
        "Forwarding over links and to services.",
    ),
    Key::new(
        "metrics",
        Kind::Map(&[METRICS]),
        "Measurements sent to the controllers.",
    ),
    Key::new(
        "healthChecks",
        Kind::Map(&[HEALTH_CHECKS]),
        "What the API `health-checks` of the section `web` reports.",
    ),
    Key::new(
        "web",
        Kind::Maps(&[WEB]),
        "HTTP servers. The API `health-checks` is the only one that a router has.",
    ),
    Key::new(
        "trace",
        Kind::Map(&[TRACE]),
        "Record of all messages, for debugging.",
    ),
    Key::new("profile", Kind::Map(&[PROFILE]), "Profiles, for debugging."),
    Key::new(
        "proxy",
        Kind::Map(&[PROXY]),
        "Proxy on the way to controllers and other routers.",
    ),
    Key::new("tls", Kind::Map(&[TLS]), "Settings of TLS."),
    Key::new(
        "connectEvents",
        Kind::Map(&[CONNECT_EVENTS]),
        "What controllers are told about connections of clients.",
    ),
    Key::new(
        "interfaceDiscovery",
        Kind::Map(&[INTERFACE_DISCOVERY]),
        "What controllers are told about network interfaces.",
    ),
    Key::new(
        "managedConfig",
        Kind::Map(&[MANAGED_CONFIG]),
        "Which parts of the configuration controllers may set.",
    ),
    Key::new(
        "plugins",
        Kind::Texts(Form::Filled),
        "Shared objects that OpenZiti loads into itself.",
    )
    .example("[/usr/lib/router/extra.so]"),
    Key::new(
        "enableDebugOps",
        Kind::Bool,
        "Whether the agent of the router answers operations for debugging.",
    )
    .default("false")
    .original(Original::new(Read::Bool, Wrong::Ignore))
    .example("false"),
    Key::dead("healthCheck", "the section is named `healthChecks`"),
    Key::dead("ha", "routers follow the controllers by themselves"),
];

const TLS: Group = &[
    Key::duration("handshakeTimeout", "How long a TLS handshake may take.")
        .default("5s")
        .original(Original::new(Read::Printed, Wrong::Refuse))
        .example("5s"),
];

const MANAGED_CONFIG: Group = &[Key::new(
    "allow",
    Kind::Texts(Form::Filled),
    "Types that are accepted, such as `router.link`; `all` accepts every one.",
)
.default("[]")
.example("[router.link]")];
