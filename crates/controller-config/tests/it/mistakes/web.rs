//! Mistakes in `web`.

use super::{Case, case};

pub(super) const WEB: &[Case] = &[
    case(
        "  - name: all\n",
        "  - name: ''\n",
        &[(14, 11, "invalid-value", "empty")],
    ),
    case(
        "  - name: all\n    bindPoints",
        "  - bindPoints",
        &[(14, 5, "missing-key", "`name`")],
    ),
    case(
        "interface: '0.0.0.0:1280', ",
        "",
        &[(16, 9, "missing-key", "interface")],
    ),
    case(
        "'0.0.0.0:1280'",
        "8081",
        &[(16, 21, "wrong-type", "a string")],
    ),
    case(
        "'0.0.0.0:1280'",
        "'tls:0.0.0.0:1280'",
        &[(16, 21, "invalid-value", "write `0.0.0.0:1280`")],
    ),
    case(
        "interface: '0",
        "identity: {file: a}, interface: '0",
        &[(16, 10, "ignored-key", "network itself")],
    ),
    case(
        "      - binding: edge-client\n",
        "      []\n",
        &[(18, 7, "invalid-value", "at least one API")],
    ),
    case(
        "binding: edge-client",
        "binding: edge-clients",
        &[(18, 18, "invalid-value", "`edge-client`?")],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n        options: {x: 1}",
        &[(19, 19, "unknown-key", "`x`")],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n      - binding: spa",
        &[(19, 9, "missing-key", "options")],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n      - {binding: spa, options: {path: a/b}}",
        &[
            (19, 24, "missing-key", "location"),
            (19, 40, "invalid-value", "one segment"),
        ],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n      - {binding: edge-oidc, options: {allowedHostnames: ['*.a', 'a:1', a.b, 10.0.0.1, \
         bücher.de], redirectURIs: ['', 7]}}",
        &[
            (19, 59, "invalid-value", "`*.a`"),
            (19, 66, "invalid-value", "one host"),
            (19, 78, "invalid-value", "`10.0.0.1`"),
            (19, 88, "invalid-value", "xn--"),
            (19, 115, "invalid-value", "empty"),
            (19, 119, "wrong-type", "a string"),
        ],
    ),
    // Nobody has to prove who they are.
    case(
        "binding: edge-client",
        "binding: edge-client\n      - binding: metrics",
        &[(19, 9, "weakened", "everybody who reaches")],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n      - {binding: metrics, options: {scrapeCert: a.pem}}",
        &[],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n      - {binding: metrics, options: {scrapeCert: 7, includeTimestamps: maybe}}",
        &[
            (19, 50, "wrong-type", "a string"),
            (19, 72, "wrong-type", "`true` or `false`"),
        ],
    ),
    case(
        "    apis:",
        "    options: {minTLSVersion: TLS1.0}\n    apis:",
        &[(17, 30, "stricter", "TLS1.2")],
    ),
    case(
        "    apis:",
        "    options: {minTLSVersion: '1.2'}\n    apis:",
        &[(17, 30, "invalid-value", "TLS1.2")],
    ),
    case(
        "    apis:",
        "    options: {maxTLSVersion: TLS1.1}\n    apis:",
        &[(17, 30, "invalid-value", "below")],
    ),
    case(
        "    apis:",
        "    options: {minTLSVersion: TLS1.3, maxTLSVersion: TLS1.2}\n    apis:",
        &[(17, 53, "invalid-value", "below")],
    ),
    case(
        "    apis:",
        "    options: {idleTimeout: 5, readTimeout: -1s, writeTimeout: 0s}\n    apis:",
        &[
            (17, 28, "invalid-value", "`5s`"),
            (17, 44, "out-of-range", "0s"),
            (17, 63, "out-of-range", "0s"),
        ],
    ),
    case(
        "    apis:",
        "    identity: {cert: a, key: b, ca: c}\n    apis:",
        &[(17, 5, "missing-key", "server_cert")],
    ),
    case(
        "    apis:",
        "      - {interface: '127.0.0.1:1280', address: 'localhost:1280'}\n    apis:",
        &[(17, 21, "port-taken", "`0.0.0.0:1280`")],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n      - {binding: zac, options: {location: a}}\n      - {binding: spa, options: {path: zac, location: b}}",
        &[(20, 40, "path-taken", "`/zac`")],
    ),
    case(
        "binding: edge-client",
        "binding: edge-client\n      - {binding: spa, options: {path: zac, location: a}}\n      - {binding: zac, options: {location: b}}",
        &[(20, 9, "path-taken", "earlier web application")],
    ),
    case(
        "    apis:",
        "      - {interface: '127.0.0.1:1281', address: 'localhost:1281'}\n    apis:",
        &[],
    ),
];
