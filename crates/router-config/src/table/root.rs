//! Top level of the file.

use crate::table::ctrl::CTRL;
use crate::table::edge::{CSR, EDGE};
use crate::table::forwarder::FORWARDER;
use crate::table::health::HEALTH_CHECKS;
use crate::table::identity::IDENTITY;
use crate::table::key::{Key, KeyGroup, StringFormat, ValueType};
use crate::table::link::LINK;
use crate::table::listeners::{DIALERS, LISTENERS};
use crate::table::observability::{CONNECT_EVENTS, INTERFACE_DISCOVERY, METRICS, PROFILE, TRACE};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};
use crate::table::transport::{PROXY, TRANSPORT};
use crate::table::web::WEB;

const SECTION: OpenZitiRule = OpenZitiRule::new(ReadMode::Section, OnMistake::Ignore);
const STRICT_SECTION: OpenZitiRule = OpenZitiRule::new(ReadMode::Section, OnMistake::Refuse);

/// All sections.
pub const ROOT: KeyGroup = &[
    Key::count("v", 3, 3, "Version of the format; only 3 is known.")
        .required()
        .example("3"),
    Key::new(
        "identity",
        ValueType::Map(&[IDENTITY]),
        "Certificates and keys of the router.",
    )
    .required(),
    Key::new(
        "ctrl",
        ValueType::Map(&[CTRL]),
        "The controllers and how to reach them.",
    )
    .required(),
    Key::new(
        "link",
        ValueType::Map(&[LINK]),
        "Links to other routers. Without it the router can neither dial other routers nor be dialed by \
         them.",
    ),
    Key::new(
        "dialers",
        ValueType::BindingList(DIALERS),
        "How services are dialed. Without it the router cannot terminate circuits at services; OpenZiti then dials with default options.",
    ),
    Key::new(
        "listeners",
        ValueType::BindingList(LISTENERS),
        "Listeners for traffic that enters the network. Without them nothing outside the mesh can connect.",
    ),
    Key::new(
        "csr",
        ValueType::Map(&[CSR]),
        "Contents of the router's certificate requests; takes precedence over `edge.csr`. OpenZiti does not load \
         a file with neither.",
    ),
    Key::new(
        "edge",
        ValueType::Map(&[EDGE]),
        "What makes this an edge router. Without it the router serves the fabric only: neither SDKs nor \
         tunnels.",
    ),
    Key::new(
        "transport",
        ValueType::Map(&[TRANSPORT]),
        "Tuning of the connections.",
    ),
    Key::new(
        "forwarder",
        ValueType::Map(&[FORWARDER]),
        "Forwarding over links and to services.",
    )
    .openziti(SECTION),
    Key::new(
        "metrics",
        ValueType::Map(&[METRICS]),
        "Metrics sent to the controllers.",
    )
    .openziti(SECTION),
    Key::new(
        "healthChecks",
        ValueType::Map(&[HEALTH_CHECKS]),
        "What the API `health-checks` of the section `web` reports.",
    )
    .openziti(SECTION),
    Key::new(
        "web",
        ValueType::MapList(&[WEB]),
        "HTTP servers, for monitoring.",
    ),
    Key::new(
        "trace",
        ValueType::Map(&[TRACE]),
        "Trace of all messages, for debugging.",
    ),
    Key::new(
        "profile",
        ValueType::Map(&[PROFILE]),
        "Profiles, for debugging.",
    ),
    Key::new(
        "proxy",
        ValueType::Map(&[PROXY]),
        "Proxy on the way to controllers and other routers.",
    ),
    Key::new("tls", ValueType::Map(&[TLS]), "TLS settings."),
    Key::new(
        "connectEvents",
        ValueType::Map(&[CONNECT_EVENTS]),
        "Reports to the controllers about connections of clients.",
    )
    .openziti(SECTION),
    Key::new(
        "interfaceDiscovery",
        ValueType::Map(&[INTERFACE_DISCOVERY]),
        "Reports to the controllers about network interfaces.",
    )
    .openziti(STRICT_SECTION),
    Key::new(
        "managedConfig",
        ValueType::Map(&[MANAGED_CONFIG]),
        "Which parts of the configuration controllers may set.",
    ),
    Key::new(
        "plugins",
        ValueType::StringList(StringFormat::NonEmpty),
        "Shared objects that OpenZiti loads into itself.",
    )
    .example("[/usr/lib/router/extra.so]"),
    Key::new(
        "enableDebugOps",
        ValueType::Bool,
        "Whether the agent of the router answers operations for debugging.",
    )
    .default("false")
    .openziti(OpenZitiRule::new(ReadMode::Bool, OnMistake::Ignore))
    .example("false"),
    Key::dead("healthCheck", "the section is named `healthChecks`"),
    Key::dead("ha", "routers follow the controllers by themselves"),
];

const TLS: KeyGroup = &[
    Key::duration("handshakeTimeout", "How long a TLS handshake may take.")
        .default("5s")
        .openziti(OpenZitiRule::new(
            ReadMode::ScalarDuration,
            OnMistake::Refuse,
        ))
        .example("5s"),
];

const MANAGED_CONFIG: KeyGroup = &[Key::new(
    "allow",
    ValueType::StringList(StringFormat::NonEmpty),
    "Types that are accepted, such as `router.link`; `all` accepts every one.",
)
.default("[]")
.example("[router.link]")];
