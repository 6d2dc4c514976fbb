//! `edge` and the certificate request.

use crate::table::key::{Form, Group, Key, Kind};
use crate::table::original::{Original, Read, Shown, Wrong};

const INTEGER: Original = Original::new(Read::Integer, Wrong::Crash);
const DURATION: Original = Original::new(Read::Duration, Wrong::Crash);

/// The section.
pub(crate) const EDGE: Group = &[
    Key::new(
        "csr",
        Kind::Map(&[CSR]),
        "What the router asks for in its certificates. Without it the router can neither enroll nor \
         renew its certificates. A `csr` at the top level wins.",
    ),
    Key::new(
        "db",
        Kind::Text(Form::Free),
        "File in which the router keeps what it knows of the network; beside the configuration by default.",
    )
    .example("/var/lib/router/router.proto.gzip"),
    Key::new(
        "dbSaveIntervalSeconds",
        Kind::Integer {
            min: 30,
            max: 86_400,
            unit: crate::table::key::Unit::Seconds,
        },
        "How often that file is written; less than 30 counts as 30.",
    )
    .default("30")
    .original(INTEGER.shown(Shown::Seconds).named("dbSaveInterval"))
    .example("30"),
    Key::new(
        "heartbeatIntervalSeconds",
        Kind::Integer {
            min: 10,
            max: 60,
            unit: crate::table::key::Unit::Seconds,
        },
        "How often the router tells the controllers which sessions are alive. OpenZiti takes 60 for \
         anything else.",
    )
    .default("60")
    .original(INTEGER)
    .example("60"),
    Key::count(
        "sessionValidateChunkSize",
        1,
        u32::MAX as i64,
        "How many sessions are checked at a time after a reconnect.",
    )
    .default("1000")
    .original(INTEGER.shown(Shown::Unsigned32))
    .example("1000"),
    Key::duration(
        "sessionValidateMinInterval",
        "Shortest pause between two such checks.",
    )
    .default("250ms")
    .original(DURATION)
    .example("250ms"),
    Key::duration(
        "sessionValidateMaxInterval",
        "Longest pause between two such checks.",
    )
    .default("1500ms")
    .original(DURATION)
    .example("1500ms"),
    Key::new(
        "apiProxy",
        Kind::Map(&[API_PROXY]),
        "Passes requests of clients on to the controller's API.",
    ),
    Key::dead("underlay_type", "listeners say it in their address"),
];

const API_PROXY: Group = &[
    Key::new(
        "listener",
        Kind::Text(Form::HostPort),
        "Host and port to listen on.",
    )
    .required()
    .example("0.0.0.0:1080"),
    Key::new(
        "upstream",
        Kind::Text(Form::Filled),
        "Host and port of the controller's API.",
    )
    .required()
    .example("ctrl.example.test:1280"),
];

/// The certificate request.
pub(crate) const CSR: Group = &[
    Key::new(
        "country",
        Kind::Text(Form::Free),
        "Country, in quotes if it is `NO`.",
    )
    .example("\"US\""),
    Key::new(
        "province",
        Kind::Text(Form::Free),
        "State or province, in quotes if it is `ON`.",
    )
    .example("\"NC\""),
    Key::new("locality", Kind::Text(Form::Free), "Town.").example("\"Charlotte\""),
    Key::new("organization", Kind::Text(Form::Free), "Organization.").example("\"Example\""),
    Key::new("organizationalUnit", Kind::Text(Form::Free), "Part of it.").example("\"Network\""),
    Key::new(
        "sans",
        Kind::Map(&[SANS]),
        "Names under which the router is reached. Every advertised host must be here. A change takes \
         effect at the next enrollment.",
    ),
];

const SANS: Group = &[
    Key::new(
        "dns",
        Kind::Texts(Form::Free),
        "Host names; IP addresses belong to `ip`.",
    )
    .example("[router.example.test]"),
    Key::new("ip", Kind::Texts(Form::Ip), "IP addresses.").example("[\"10.0.0.1\"]"),
    Key::new("uri", Kind::Texts(Form::Uri), "URIs.").example("[\"spiffe://example.test/router\"]"),
    Key::new("email", Kind::Texts(Form::Free), "Mail addresses.").example("[admin@example.test]"),
];
