//! Sections `edge` and `csr`.

use crate::table::key::{Key, KeyGroup, SECOND, StringFormat, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, OutOfBounds, ReadMode, Representation};

const INTEGER: OpenZitiRule = OpenZitiRule::new(ReadMode::Integer, OnMistake::Crash);
const TEXT: OpenZitiRule = OpenZitiRule::new(ReadMode::String, OnMistake::Crash)
    .required()
    .non_empty();
const DURATION: OpenZitiRule = OpenZitiRule::new(ReadMode::Duration, OnMistake::Crash);

pub(crate) const EDGE: KeyGroup = &[
    Key::new(
        "csr",
        ValueType::Map(&[CSR]),
        "Contents of the router's certificate requests. Without it the router can neither enroll nor \
         renew its certificates. A `csr` at the top level wins.",
    ),
    Key::new(
        "db",
        ValueType::String(StringFormat::Any),
        "File in which the router keeps what it knows of the network; beside the configuration by default.",
    )
    .example("/var/lib/router/router.proto.gzip"),
    Key::new(
        "dbSaveIntervalSeconds",
        ValueType::Integer {
            min: 30,
            max: 86_400,
            unit: crate::table::key::Unit::Seconds,
        },
        "How often that file is written; less than 30 counts as 30.",
    )
    .default("30")
    .openziti(
        INTEGER
            .representation(Representation::Seconds)
            .within(30 * SECOND, i64::MAX)
            .out_of_bounds(OutOfBounds::Default)
            .effective_name("dbSaveInterval"),
    )
    .example("30"),
    Key::new(
        "heartbeatIntervalSeconds",
        ValueType::Integer {
            min: 10,
            max: 60,
            unit: crate::table::key::Unit::Seconds,
        },
        "How often the router tells the controllers which sessions are alive. OpenZiti uses 60 for anything else.",
    )
    .default("60")
    .openziti(INTEGER.within(10, 60).out_of_bounds(OutOfBounds::Default))
    .example("60"),
    Key::count(
        "sessionValidateChunkSize",
        1,
        u32::MAX as i64,
        "How many sessions are validated at a time after a reconnect.",
    )
    .default("1000")
    .openziti(INTEGER.representation(Representation::Unsigned32))
    .example("1000"),
    Key::duration(
        "sessionValidateMinInterval",
        "Shortest pause between two such checks.",
    )
    .default("250ms")
    .openziti(DURATION)
    .example("250ms"),
    Key::duration(
        "sessionValidateMaxInterval",
        "Longest pause between two such checks.",
    )
    .default("1500ms")
    .openziti(DURATION)
    .example("1500ms"),
    Key::new(
        "apiProxy",
        ValueType::Map(&[API_PROXY]),
        "Forwards requests of clients to the controller's API.",
    )
    .openziti(OpenZitiRule::new(ReadMode::Section, OnMistake::Crash)),
    Key::dead("underlay_type", "listeners say it in their address"),
];

const API_PROXY: KeyGroup = &[
    Key::new(
        "listener",
        ValueType::String(StringFormat::HostPort),
        "Host and port to listen on.",
    )
    .required()
    .openziti(TEXT)
    .example("0.0.0.0:1080"),
    Key::new(
        "upstream",
        ValueType::String(StringFormat::NonEmpty),
        "Host and port of the controller's API.",
    )
    .required()
    .openziti(TEXT)
    .example("ctrl.example.test:1280"),
];

pub(crate) const CSR: KeyGroup = &[
    Key::new(
        "country",
        ValueType::String(StringFormat::Any),
        "Country, in quotes if it is `NO`.",
    )
    .example("\"US\""),
    Key::new(
        "province",
        ValueType::String(StringFormat::Any),
        "State or province, in quotes if it is `ON`.",
    )
    .example("\"NC\""),
    Key::new(
        "locality",
        ValueType::String(StringFormat::Any),
        "City or town.",
    )
    .example("\"Charlotte\""),
    Key::new(
        "organization",
        ValueType::String(StringFormat::Any),
        "Organization.",
    )
    .example("\"Example\""),
    Key::new(
        "organizationalUnit",
        ValueType::String(StringFormat::Any),
        "Organizational unit.",
    )
    .example("\"Network\""),
    Key::new(
        "sans",
        ValueType::Map(&[SANS]),
        "Subject alternative names. Every advertised host must be among them. A change takes \
         effect at the next enrollment.",
    ),
];

const SANS: KeyGroup = &[
    Key::new(
        "dns",
        ValueType::StringList(StringFormat::Any),
        "Host names; IP addresses belong to `ip`.",
    )
    .example("[router.example.test]"),
    Key::new(
        "ip",
        ValueType::StringList(StringFormat::Ip),
        "IP addresses.",
    )
    .example("[\"10.0.0.1\"]"),
    Key::new("uri", ValueType::StringList(StringFormat::Uri), "URIs.")
        .example("[\"spiffe://example.test/router\"]"),
    Key::new(
        "email",
        ValueType::StringList(StringFormat::Any),
        "Email addresses.",
    )
    .example("[admin@example.test]"),
];
