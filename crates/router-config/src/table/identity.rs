//! Section `identity`: certificates and keys.

use crate::table::key::{Key, KeyGroup, StringFormat, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};

const TEXT: OpenZitiRule = OpenZitiRule::new(ReadMode::String, OnMistake::Refuse);

pub(crate) const IDENTITY: KeyGroup = &[
    Key::new(
        "cert",
        ValueType::String(StringFormat::Certificate),
        "Certificate that the router presents to controllers and other routers. Its common name is the \
         router's id. Relative paths start at the working directory of the process.",
    )
    .required()
    .openziti(TEXT)
    .example("\"/etc/router/router.cert\""),
    Key::new(
        "server_cert",
        ValueType::String(StringFormat::Certificate),
        "Certificate that the router presents to those who dial it. OpenZiti does not start without it.",
    )
    .openziti(TEXT)
    .example("\"/etc/router/router.server.chain.cert\""),
    Key::new(
        "key",
        ValueType::String(StringFormat::PrivateKey),
        "Key of `cert`, and of `server_cert` when that has none of its own.",
    )
    .required()
    .openziti(TEXT)
    .example("\"/etc/router/router.key\""),
    Key::new(
        "server_key",
        ValueType::String(StringFormat::PrivateKey),
        "Key of `server_cert`; that of `cert` by default.",
    )
    .openziti(TEXT)
    .example("\"/etc/router/router.server.key\""),
    Key::new(
        "ca",
        ValueType::String(StringFormat::Certificate),
        "Certificates that the router trusts.",
    )
    .openziti(TEXT)
    .example("\"/etc/router/router.cas\""),
    ALT_SERVER_CERTS,
];

const ALT_SERVER_CERTS: Key = Key::new(
    "alt_server_certs",
    ValueType::MapList(&[ALT_SERVER_CERT]),
    "More server certificates. A client gets the one that matches the server name it asks for.",
);

pub(crate) const ALT_SERVER_CERT: KeyGroup = &[
    Key::new(
        "server_cert",
        ValueType::String(StringFormat::Certificate),
        "The certificate.",
    )
    .required()
    .openziti(TEXT.required())
    .example("\"/etc/router/public.cert\""),
    Key::new(
        "server_key",
        ValueType::String(StringFormat::PrivateKey),
        "Its key; that of the router by default.",
    )
    .openziti(TEXT)
    .example("\"/etc/router/public.key\""),
];

/// As [`IDENTITY`], for a web listener, which needs all four.
pub(crate) const FULL_IDENTITY: KeyGroup = &[
    Key::new(
        "cert",
        ValueType::String(StringFormat::Certificate),
        "Certificate as a client.",
    )
    .required()
    .example("\"/etc/router/web.cert\""),
    Key::new(
        "server_cert",
        ValueType::String(StringFormat::Certificate),
        "Certificate as a server.",
    )
    .required()
    .example("\"/etc/router/web.server.cert\""),
    Key::new(
        "key",
        ValueType::String(StringFormat::PrivateKey),
        "Key of the certificates.",
    )
    .required()
    .example("\"/etc/router/web.key\""),
    Key::new(
        "server_key",
        ValueType::String(StringFormat::PrivateKey),
        "Key of `server_cert`; that of `cert` by default.",
    )
    .example("\"/etc/router/web.server.key\""),
    Key::new(
        "ca",
        ValueType::String(StringFormat::Certificate),
        "Certificates that are trusted.",
    )
    .required()
    .example("\"/etc/router/web.cas\""),
    ALT_SERVER_CERTS,
];
