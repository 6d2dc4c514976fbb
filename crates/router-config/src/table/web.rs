//! Section `web`: HTTP servers.

use crate::table::identity::FULL_IDENTITY;
use crate::table::key::{Key, KeyGroup, KeyState, StringFormat, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};

const VERSIONS: &[&str] = &["TLS1.0", "TLS1.1", "TLS1.2", "TLS1.3"];

const TIMEOUT: OpenZitiRule =
    OpenZitiRule::new(ReadMode::Duration, OnMistake::Refuse).within(1, i64::MAX);

/// One entry of the section.
pub(crate) const WEB: KeyGroup = &[
    Key::new(
        "name",
        ValueType::String(StringFormat::NonEmpty),
        "Name of the server, for log lines.",
    )
    .required()
    .openziti(
        OpenZitiRule::new(ReadMode::String, OnMistake::Refuse)
            .required()
            .non_empty(),
    )
    .example("health"),
    Key::new(
        "bindPoints",
        ValueType::MapList(&[BIND_POINT]),
        "Where it is served.",
    )
    .required(),
    Key::new("apis", ValueType::MapList(&[API]), "What is served.").required(),
    Key::new(
        "identity",
        ValueType::Map(&[FULL_IDENTITY]),
        "Certificates in place of the router's; all of `cert`, `server_cert`, `key` and `ca` are needed.",
    ),
    Key::new(
        "options",
        ValueType::Map(&[WEB_OPTIONS]),
        "Timeouts and versions of TLS.",
    ),
];

const BIND_POINT: KeyGroup = &[
    Key::new(
        "interface",
        ValueType::String(StringFormat::HostPort),
        "Host and port to listen on.",
    )
    .example("0.0.0.0:8081"),
    Key::new(
        "address",
        ValueType::String(StringFormat::HostPort),
        "Host and port that clients use.",
    )
    .example("router.example.test:8081"),
    Key::new(
        "newAddress",
        ValueType::String(StringFormat::HostPort),
        "Host and port that clients are told to use from now on.",
    )
    .example("router.example.test:8443"),
    Key::new(
        "identity",
        ValueType::Map(&[OVERLAY_IDENTITY]),
        "Serves over the network itself in place of `interface` and `address`.",
    ),
];

const OVERLAY_IDENTITY: KeyGroup = &[
    Key::new(
        "file",
        ValueType::String(StringFormat::NonEmpty),
        "File with the identity.",
    )
    .example("web.json"),
    Key::new(
        "env",
        ValueType::String(StringFormat::NonEmpty),
        "Environment variable with the identity in base64.",
    )
    .example("WEB_IDENTITY"),
    Key::new(
        "service",
        ValueType::String(StringFormat::NonEmpty),
        "Service to host.",
    )
    .required()
    .example("health"),
    Key::new(
        "tlsClientAuthenticationPolicy",
        ValueType::String(StringFormat::Any),
        "Whether clients are asked for a certificate, and whether it is verified.",
    )
    .example("VerifyClientCertIfGiven"),
    Key::new(
        "listenOptions",
        ValueType::Map(&[LISTEN_OPTIONS]),
        "How the service is hosted.",
    ),
];

const LISTEN_OPTIONS: KeyGroup = &[Key::new(
    "bindUsingEdgeIdentity",
    ValueType::Bool,
    "Whether the name of the identity becomes the address.",
)
.default("false")
.example("false")];

const API: KeyGroup = &[
    Key::new(
        "binding",
        ValueType::Enum(&["health-checks", "metrics"]),
        "The API. `health-checks` answers 200 whether healthy or not: look at `data.healthy`. `metrics`, \
         which OpenZiti does not have in a router, tells Prometheus under `/metrics` what the router measures.",
    )
    .required()
    .example("health-checks"),
    Key::new("options", ValueType::Map(&[]), "Options of the API; there are none.")
        .state(KeyState::Dead("the API has no options")),
];

pub(crate) const WEB_OPTIONS: KeyGroup = &[
    Key::interval("readTimeout", "How long a request may take to arrive.")
        .default("5s")
        .openziti(TIMEOUT)
        .example("5s"),
    Key::interval(
        "idleTimeout",
        "How long a connection may wait for the next request.",
    )
    .default("5s")
    .openziti(TIMEOUT)
    .example("5s"),
    Key::interval("writeTimeout", "How long an answer may take.")
        .default("10s")
        .openziti(TIMEOUT)
        .example("10s"),
    Key::new(
        "minTLSVersion",
        ValueType::Enum(VERSIONS),
        "Oldest version of TLS.",
    )
    .default("TLS1.2")
    .example("TLS1.2"),
    Key::new(
        "maxTLSVersion",
        ValueType::Enum(VERSIONS),
        "Newest version of TLS.",
    )
    .default("TLS1.3")
    .example("TLS1.3"),
];
