//! `identity`: certificates and keys.

use crate::table::key::{Form, Group, Key, Kind};

/// The section.
pub(crate) const IDENTITY: Group = &[
    Key::new(
        "cert",
        Kind::Text(Form::Certificate),
        "Certificate that the router shows to controllers and other routers. Its common name is the \
         router's id. Relative paths start at the working directory of the process.",
    )
    .required()
    .example("\"/etc/router/router.cert\""),
    Key::new(
        "server_cert",
        Kind::Text(Form::Certificate),
        "Certificate that the router shows to those who dial it. OpenZiti does not start without it.",
    )
    .example("\"/etc/router/router.server.chain.cert\""),
    Key::new(
        "key",
        Kind::Text(Form::PrivateKey),
        "Key of `cert`, and of `server_cert` when that has none of its own.",
    )
    .required()
    .example("\"/etc/router/router.key\""),
    Key::new(
        "server_key",
        Kind::Text(Form::PrivateKey),
        "Key of `server_cert`; that of `cert` by default.",
    )
    .example("\"/etc/router/router.server.key\""),
    Key::new(
        "ca",
        Kind::Text(Form::Certificate),
        "Certificates that the router trusts.",
    )
    .example("\"/etc/router/router.cas\""),
    ALT_SERVER_CERTS,
];

const ALT_SERVER_CERTS: Key = Key::new(
    "alt_server_certs",
    Kind::Maps(&[ALT_SERVER_CERT]),
    "More server certificates. A client gets the one that fits the name it asks for.",
);

const ALT_SERVER_CERT: Group = &[
    Key::new(
        "server_cert",
        Kind::Text(Form::Certificate),
        "The certificate.",
    )
    .required()
    .example("\"/etc/router/public.cert\""),
    Key::new(
        "server_key",
        Kind::Text(Form::PrivateKey),
        "Its key; that of the router by default.",
    )
    .example("\"/etc/router/public.key\""),
];

/// As [`IDENTITY`], for a web listener, which needs all four.
pub(crate) const FULL_IDENTITY: Group = &[
    Key::new(
        "cert",
        Kind::Text(Form::Certificate),
        "Certificate as a client.",
    )
    .required()
    .example("\"/etc/router/web.cert\""),
    Key::new(
        "server_cert",
        Kind::Text(Form::Certificate),
        "Certificate as a server.",
    )
    .required()
    .example("\"/etc/router/web.server.cert\""),
    Key::new(
        "key",
        Kind::Text(Form::PrivateKey),
        "Key of the certificates.",
    )
    .required()
    .example("\"/etc/router/web.key\""),
    Key::new(
        "server_key",
        Kind::Text(Form::PrivateKey),
        "Key of `server_cert`; that of `cert` by default.",
    )
    .example("\"/etc/router/web.server.key\""),
    Key::new(
        "ca",
        Kind::Text(Form::Certificate),
        "Certificates that are trusted.",
    )
    .required()
    .example("\"/etc/router/web.cas\""),
    ALT_SERVER_CERTS,
];
