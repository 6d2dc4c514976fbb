//! Mistakes in `identity`.

use super::{Case, case};

pub(super) const IDENTITY: &[Case] = &[
    case(
        "cert: a.pem, key: a.key, ",
        "",
        &[
            (3, 1, "missing-key", "`cert`"),
            (3, 1, "missing-key", "`key`"),
        ],
    ),
    case("cert: a.pem", "cert: 5", &[(3, 18, "wrong-type", "quotes")]),
    case(
        "cert: a.pem",
        "cert: ''",
        &[(3, 18, "invalid-value", "empty")],
    ),
    case(
        "cert: a.pem",
        "cert: 'file:a.pem'",
        &[(3, 18, "invalid-value", "absolute")],
    ),
    case(
        "cert: a.pem",
        "cert: 'file://a/b.pem'",
        &[(3, 18, "invalid-value", "host")],
    ),
    case(
        "cert: a.pem",
        "cert: 'file:///a%2'",
        &[(3, 18, "invalid-value", "hexadecimal")],
    ),
    case(
        "cert: a.pem",
        "cert: 'vault:x'",
        &[(3, 18, "invalid-value", "`vault:`")],
    ),
    case("cert: a.pem", "cert: 'C:\\a.pem'", &[]),
    case(
        "key: a.key",
        "key: 'pkcs11:softhsm?slot=0'",
        &[(3, 30, "invalid-value", "hardware")],
    ),
    case(
        "ca: cas.pem",
        "ca: cas.pem, serverCert: b",
        &[(3, 50, "unknown-key", "`server_cert`?")],
    ),
    case(
        "ca: cas.pem",
        "ca: cas.pem, server_key: b",
        &[(3, 1, "missing-key", "`server_cert`")],
    ),
    case(
        "ca: cas.pem",
        "ca: cas.pem, alt_server_certs: [{server_cert: 5}, {}, 6]",
        &[
            (3, 83, "wrong-type", "string"),
            (3, 87, "missing-key", "server_cert"),
            (3, 91, "wrong-type", "map"),
        ],
    ),
    case(
        "identity: {",
        "identity: [",
        &[(3, 48, "yaml-syntax", "flow sequence")],
    ),
];
