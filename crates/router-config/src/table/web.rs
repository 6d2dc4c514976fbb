//! `web`: HTTP servers.

use crate::table::identity::FULL_IDENTITY;
use crate::table::key::{Form, Group, Key, Kind, State};

const VERSIONS: &[&str] = &["TLS1.0", "TLS1.1", "TLS1.2", "TLS1.3"];

/// One entry of the section.
pub(crate) const WEB: Group = &[
    Key::new(
        "name",
        Kind::Text(Form::Filled),
        "Name of the server, for log lines.",
    )
    .required()
    .example("health"),
    Key::new(
        "bindPoints",
        Kind::Maps(&[BIND_POINT]),
        "Where it is served.",
    )
    .required(),
    Key::new("apis", Kind::Maps(&[API]), "What is served.").required(),
    Key::new(
        "identity",
        Kind::Map(&[FULL_IDENTITY]),
        "Certificates in place of the router's; all of `cert`, `server_cert`, `key` and `ca` are needed.",
    ),
    Key::new(
        "options",
        Kind::Map(&[OPTIONS]),
        "Timeouts and versions of TLS.",
    ),
];

const BIND_POINT: Group = &[
    Key::new(
        "interface",
        Kind::Text(Form::HostPort),
        "Host and port to listen on.",
    )
    .example("0.0.0.0:8081"),
    Key::new(
        "address",
        Kind::Text(Form::HostPort),
        "Host and port that clients use.",
    )
    .example("router.example.test:8081"),
    Key::new(
        "newAddress",
        Kind::Text(Form::HostPort),
        "Host and port that clients are told to use from now on.",
    )
    .example("router.example.test:8443"),
    Key::new(
        "identity",
        Kind::Map(&[OVERLAY_IDENTITY]),
        "Serves over the network itself in place of `interface` and `address`.",
    ),
];

const OVERLAY_IDENTITY: Group = &[
    Key::new("file", Kind::Text(Form::Filled), "File with the identity.").example("web.json"),
    Key::new(
        "env",
        Kind::Text(Form::Filled),
        "Environment variable with the identity in base64.",
    )
    .example("WEB_IDENTITY"),
    Key::new("service", Kind::Text(Form::Filled), "Service to host.")
        .required()
        .example("health"),
    Key::new(
        "tlsClientAuthenticationPolicy",
        Kind::Text(Form::Free),
        "Whether clients show a certificate.",
    )
    .example("VerifyClientCertIfGiven"),
    Key::new(
        "listenOptions",
        Kind::Map(&[LISTEN_OPTIONS]),
        "How the service is hosted.",
    ),
];

const LISTEN_OPTIONS: Group = &[Key::new(
    "bindUsingEdgeIdentity",
    Kind::Bool,
    "Whether the name of the identity becomes the address.",
)
.default("false")
.example("false")];

const API: Group = &[
    Key::new(
        "binding",
        Kind::Word(&["health-checks"]),
        "The API. A router has only `health-checks`, which answers 200 whether healthy or not: look at \
         `data.healthy`.",
    )
    .required()
    .example("health-checks"),
    Key::new("options", Kind::Map(&[]), "Options of the API; there are none.")
        .state(State::Dead("the API has no options")),
];

const OPTIONS: Group = &[
    Key::interval("readTimeout", "How long a request may take to arrive.")
        .default("5s")
        .example("5s"),
    Key::interval(
        "idleTimeout",
        "How long a connection may wait for the next request.",
    )
    .default("5s")
    .example("5s"),
    Key::interval("writeTimeout", "How long an answer may take.")
        .default("10s")
        .example("10s"),
    Key::new(
        "minTLSVersion",
        Kind::Word(VERSIONS),
        "Oldest version of TLS.",
    )
    .default("TLS1.2")
    .example("TLS1.2"),
    Key::new(
        "maxTLSVersion",
        Kind::Word(VERSIONS),
        "Newest version of TLS.",
    )
    .default("TLS1.3")
    .example("TLS1.3"),
];
