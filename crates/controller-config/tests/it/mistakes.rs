use portcullis_controller_config::read;
use portcullis_yaml::Severity;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

use crate::{SMALLEST, no_variables};

/// Change of the smallest file, and the place, code and a word of everything that is to be said.
struct Case {
    old: &'static str,
    new: &'static str,
    found: &'static [(u32, u32, &'static str, &'static str)],
}

const fn case(
    old: &'static str,
    new: &'static str,
    found: &'static [(u32, u32, &'static str, &'static str)],
) -> Case {
    Case { old, new, found }
}

const ROOT: &[Case] = &[
    case("v: 3\n", "", &[(1, 1, "missing-key", "`v: 3`")]),
    case("v: 3", "v: '3'", &[(1, 4, "version", "without quotes")]),
    case("v: 3", "v: 3.0", &[(1, 4, "version", "a number")]),
    case(
        "v: 3",
        "v: 2",
        &[(1, 4, "version", "convert the file to version 3")],
    ),
    case(
        "v: 3",
        "v: ${V}",
        &[(1, 4, "env-unset", "`V`"), (1, 4, "version", "a string")],
    ),
    case("v: 3", "v: 0x3", &[]),
    case("db: ctrl.db\n", "", &[(1, 1, "missing-key", "`db`")]),
    case("db: ctrl.db", "db:", &[(2, 1, "missing-key", "no value")]),
    case("db: ctrl.db", "db: 5", &[(2, 5, "wrong-type", "`\"5\"`")]),
    case(
        "db: ctrl.db",
        "db: ${DB}",
        &[
            (2, 5, "env-unset", "`DB`"),
            (2, 5, "invalid-value", "`DB` is not set"),
        ],
    ),
    case(
        "db: ctrl.db",
        "dbs: ctrl.db",
        &[
            (1, 1, "missing-key", "`db`"),
            (2, 1, "unknown-key", "`db`?"),
        ],
    ),
    case(
        "db: ctrl.db",
        "cluster: {}",
        &[
            (2, 1, "missing-key", "dataDir"),
            (4, 1, "missing-key", "advertiseAddress"),
        ],
    ),
    case(
        "db: ctrl.db",
        "db: a\ncluster: {dataDir: b}\nraft: {}",
        &[
            (2, 5, "unused", "cluster"),
            (4, 1, "unknown-key", "named `cluster`"),
            (6, 1, "missing-key", "advertiseAddress"),
        ],
    ),
    case(
        "db: ctrl.db",
        "db: ctrl.db\ndb: other.db",
        &[(3, 1, "duplicate-key", "line 2")],
    ),
    case(
        "db: ctrl.db",
        "db: ctrl.db\nprofile:\nevents: {a: 1}",
        &[
            (3, 1, "ignored-key", "profile"),
            (4, 1, "ignored-key", "events"),
        ],
    ),
    case(
        "db: ctrl.db",
        "db: ctrl.db\nlistener: x",
        &[(3, 1, "unknown-key", "belongs to `ctrl`")],
    ),
    case(
        "db: ctrl.db",
        "db: ctrl.db\non: x",
        &[(3, 1, "unknown-key", "`on`")],
    ),
    case(
        "db: ctrl.db",
        "db: ctrl.db\ntrustDomain: a b",
        &[(3, 14, "invalid-value", "`a b`")],
    ),
    case("db: ctrl.db", "db: ctrl.db\ntrustDomain: ''", &[]),
    case(
        "db: ctrl.db",
        "db: ''\nrelativePaths: here",
        &[
            (2, 5, "invalid-value", "empty"),
            (3, 16, "invalid-value", "write file"),
        ],
    ),
    case(
        "db: ctrl.db",
        "db: ctrl.db\nadditionalTrustDomains: [a, 5, 'b/', '/']",
        &[
            (3, 29, "wrong-type", "`5`"),
            (3, 38, "invalid-value", "`/`"),
        ],
    ),
];

const IDENTITY: &[Case] = &[
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

const CTRL: &[Case] = &[
    case(
        "  listener: tls:0.0.0.0:6262\n",
        "  {}\n",
        &[(4, 1, "missing-key", "listener")],
    ),
    case(
        "tls:0.0.0.0:6262",
        "0.0.0.0:6262",
        &[(5, 13, "invalid-value", "`tls:`")],
    ),
    case(
        "tls:0.0.0.0:6262",
        "tls://0.0.0.0:6262",
        &[(5, 13, "invalid-value", "`//`")],
    ),
    case(
        "tls:0.0.0.0:6262",
        "tls:0.0.0.0",
        &[(5, 13, "invalid-value", "port is missing")],
    ),
    case(
        "tls:0.0.0.0:6262",
        "tls:0.0.0.0:6262\n  options: {advertiseAddress: 'ctrl:1'}",
        &[(6, 31, "invalid-value", "`tls:`")],
    ),
    case(
        "tls:0.0.0.0:6262",
        "tls:0.0.0.0:6262\n  options: {newListener: a, connectTimeoutMs: 5}",
        &[
            (6, 13, "ignored-key", "newListener"),
            (6, 29, "ignored-key", "connectTimeoutMs"),
        ],
    ),
];

const API: &[Case] = &[
    case(
        "    address: ctrl.example:1280\n",
        "    {}\n",
        &[(7, 3, "missing-key", "address")],
    ),
    case(
        "address: ctrl.example:1280\n",
        "address: https://ctrl.example:1280/\n",
        &[(8, 14, "invalid-value", "write `ctrl.example:1280`")],
    ),
    case(
        "address: ctrl.example:1280\n",
        "address: ctrl.example\n",
        &[(8, 14, "invalid-value", "port is missing")],
    ),
    case(
        "address: ctrl.example:1280\n",
        "address: ctrl.example:0\n",
        &[(8, 14, "invalid-value", "from 1")],
    ),
    case(
        "address: ctrl.example:1280\n",
        "address: ':1280'\n",
        &[(8, 14, "invalid-value", "host is missing")],
    ),
    case(
        "address: ctrl.example:1280\n",
        "address: CTRL.example:1280\n",
        &[],
    ),
    case(
        "address: ctrl.example:1280\n",
        "address: other.example:1280\n",
        &[(8, 14, "unserved-address", "write `ctrl.example:1280`")],
    ),
    case(
        "edge-client",
        "edge-management",
        &[(8, 14, "unserved-address", "binding: edge-client")],
    ),
    case(
        "  api:\n",
        "  api:\n    sessionTimeout: 30\n",
        &[(8, 21, "invalid-value", "`30s`")],
    ),
    case(
        "  api:\n",
        "  api:\n    sessionTimeout: 59s\n",
        &[(8, 21, "out-of-range", "30m is used")],
    ),
    case(
        "  api:\n",
        "  api:\n    sessionTimeout: -5m\n",
        &[(8, 21, "out-of-range", "30m is used")],
    ),
    case(
        "  api:\n",
        "  api:\n    sessionLifetime: 4m\n",
        &[(8, 22, "out-of-range", "`0s` for no limit")],
    ),
    case(
        "  api:\n",
        "  api:\n    administratorSessionLifetime: -1h\n",
        &[(8, 35, "out-of-range", "from 5m to 8760h")],
    ),
    case(
        "  api:\n",
        "  api:\n    freshFactor: 25h\n",
        &[(8, 18, "out-of-range", "`0s` for any age")],
    ),
    case(
        "  api:\n",
        "  api:\n    identityStorageQuota: 1000\n",
        &[(8, 27, "out-of-range", "from 262144")],
    ),
    case(
        "  api:\n",
        "  api:\n    sesionTimeout: 5m\n",
        &[(8, 5, "unknown-key", "`sessionTimeout`?")],
    ),
    case(
        "  api:\n",
        "  api:\n    activityUpdateInterval: 11m\n",
        &[(8, 29, "out-of-range", "10m")],
    ),
    case(
        "  api:\n",
        "  api:\n    activityUpdateInterval: 0s\n",
        &[(8, 29, "out-of-range", "1ms")],
    ),
    case(
        "  api:\n",
        "  api:\n    activityUpdateBatchSize: 0\n",
        &[(8, 30, "out-of-range", "10000")],
    ),
    case(
        "  api:\n",
        "  api:\n    activityUpdateBatchSize: 1e3\n",
        &[(8, 30, "wrong-type", "an integer")],
    ),
    case(
        "  api:\n",
        "  api:\n    disableOidcAutoBinding: 'TRUE'\n",
        &[],
    ),
    case(
        "  api:\n",
        "  api:\n    disableOidcAutoBinding: 1\n",
        &[(8, 29, "wrong-type", "a boolean")],
    ),
];

const EDGE: &[Case] = &[
    case(
        "    edgeIdentity: {}\n",
        "",
        &[(9, 3, "missing-key", "edgeIdentity")],
    ),
    case(
        "edgeRouter: {}",
        "edgeRouter: {duration: 4m}",
        &[(12, 28, "out-of-range", "180m is used")],
    ),
    case(
        "edgeRouter: {}",
        "edgeRouter: {duration: 1d}",
        &[(12, 28, "invalid-value", "the unit")],
    ),
    case(
        "edgeRouter: {}",
        "edgeRouter: 5m",
        &[(12, 17, "wrong-type", "a map")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n    sharedHosts: ['https://ctrl.example']\n",
        &[(13, 19, "invalid-value", "write the host alone")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n    sharedHosts: [ctrl.example, 'ctrl.example:1280', '*.']\n",
        &[
            (
                13,
                33,
                "invalid-value",
                "neither a host name nor an IP address",
            ),
            (
                13,
                54,
                "invalid-value",
                "neither a host name nor an IP address",
            ),
        ],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n    sharedHosts: [a..b, '[::1', '::1]', 1.2.3, a.0x10, '.a', '*.a..b', '[1.2.3.4]']\n",
        &[
            (13, 19, "invalid-value", "`a..b` is neither"),
            (13, 25, "invalid-value", "`[::1` is neither"),
            (13, 33, "invalid-value", "`::1]` is neither"),
            (13, 41, "invalid-value", "`1.2.3` is neither"),
            (13, 48, "invalid-value", "`a.0x10` is neither"),
            (13, 56, "invalid-value", "`.a` is neither"),
            (13, 62, "invalid-value", "`*.a..b` is neither"),
            (13, 72, "invalid-value", "`[1.2.3.4]` is neither"),
        ],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  sharedHosts: [a]\n",
        &[(13, 3, "unknown-key", "`edge.enrollment`")],
    ),
    case(
        "{cert: s.pem, key: s.key}",
        "{cert: s.pem}",
        &[(10, 5, "missing-key", "`key`")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  authRateLimiter: {enabled: true}\n",
        &[(13, 3, "ignored-key", "logins")],
    ),
    case("    edgeRouter: {}\n", "    edgeRouter: {}\n  totp:\n", &[]),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  totp: {hostname: 'a:1'}\n",
        &[(13, 20, "invalid-value", "`a:1`")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  totp: {compatibility: openzit}\n",
        &[(13, 25, "invalid-value", "`openziti`?")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  totp: {compatibility: openziti}\n",
        &[(13, 25, "weakened", "more than once")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  passwordThrottle: {freeAttempts: 0, longestWait: 25h}\n",
        &[
            (13, 36, "out-of-range", "freeAttempts"),
            (13, 52, "out-of-range", "24h"),
        ],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  passwordThrottle: {longestWait: 500ms}\n",
        &[(13, 35, "out-of-range", "1s")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  passwordThrottle: {enabled: no}\n",
        &[(13, 31, "weakened", "guessed")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  externalJwtSigners: {requireExpiry: no}\n",
        &[(13, 39, "weakened", "forever")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  oidc: {accessTokenDuration: 30s, refreshTokenDuration: 1m}\n",
        &[
            (13, 31, "out-of-range", "60s is used"),
            (13, 58, "out-of-range", "120s is used"),
        ],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  oidc: {revocationMaxQueued: 5}\n",
        &[(13, 10, "ignored-key", "immediately")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  externalJwtSigners: {jwksFetch: {allowedIPs: [a, 10.0.0.0/33], \
        timeout: 0s, blockPrivateAddresses: no}}\n",
        &[
            (13, 49, "invalid-value", "network"),
            (13, 52, "invalid-value", "network"),
            (13, 75, "out-of-range", "0s"),
        ],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  externalJwtSigners: {jwksFetch: {blockPrivateAddresses: no, \
        deniedHostnames: ['*', 10.0.0.1]}}\n",
        &[
            (13, 59, "stricter", "allowedIPs"),
            (13, 81, "invalid-value", "`*`"),
            (13, 86, "invalid-value", "`10.0.0.1`"),
        ],
    ),
];

const WEB: &[Case] = &[
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
        "    apis:",
        "      - {interface: '127.0.0.1:1281', address: 'localhost:1281'}\n    apis:",
        &[],
    ),
];

const LIMITS: &[Case] = &[
    case("v: 3\n", "v: 3\nlimits:\n", &[]),
    case(
        "v: 3\n",
        "v: 3\nlimits: 5\n",
        &[(2, 9, "wrong-type", "map")],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {connectionPerPeer: 5}\n",
        &[(2, 10, "unknown-key", "`connectionsPerPeer`?")],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {connections: 15, unreadAnswerBytes: 1MiB}\n",
        &[
            (2, 23, "out-of-range", "from 16 to 1048576"),
            (2, 46, "wrong-type", "an integer"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {connections: 100, connectionsPerPeer: 101}\n",
        &[(
            2,
            48,
            "out-of-range",
            "more than the 100 of `limits.connections`",
        )],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {requestHeadBytes: 4194303}\n",
        &[(2, 28, "out-of-range", "from 4194304")],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {requestHeadBytesPerPeer: 1048575}\n",
        &[(2, 35, "out-of-range", "from 1048576")],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {requestBytesPerIdentity: 1048576}\n",
        &[(2, 35, "out-of-range", "from 2097152")],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {passwordsWaiting: 1, logLinesPerMinute: 60001}\n",
        &[
            (2, 28, "out-of-range", "from 2 to 65536"),
            (2, 50, "out-of-range", "from 6 to 60000"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {logLinesPerMinutePerPeer: 61}\n",
        &[(
            2,
            36,
            "out-of-range",
            "more than the 60 of `limits.logLinesPerMinute`",
        )],
    ),
    case(
        "v: 3\n",
        "v: 3\nlimits: {connections: 100, connectionsPerPeer: 100}\n",
        &[],
    ),
];

fn check(cases: &[Case]) {
    for Case { old, new, found } in cases {
        assert_eq!(SMALLEST.matches(old).count(), 1, "{old:?} is there once");
        let text = SMALLEST.replace(old, new);
        let outcome = read(&[&text], &no_variables);
        let shown: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(ToString::to_string)
            .collect();
        let places: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(|d| (d.line, d.column, d.code))
            .collect();
        let expected: Vec<_> = found
            .iter()
            .map(|(line, column, code, _)| (*line, *column, *code))
            .collect();
        assert_eq!(places, expected, "{new:?}: {shown:#?}");
        for (said, (.., word)) in shown.iter().zip(*found) {
            assert!(said.contains(word), "{new:?}: {word:?} is not in {said:?}");
        }
        let usable = outcome
            .diagnostics
            .iter()
            .all(|d| d.severity != Severity::Error);
        assert_eq!(outcome.config.is_some(), usable, "{new:?}");
    }
}

#[test]
fn mistakes_at_the_root_are_found() {
    check(ROOT);
}

#[test]
fn mistakes_in_identity_are_found() {
    check(IDENTITY);
}

#[test]
fn mistakes_in_ctrl_are_found() {
    check(CTRL);
}

#[test]
fn mistakes_in_edge_api_are_found() {
    check(API);
}

#[test]
fn mistakes_in_the_rest_of_edge_are_found() {
    check(EDGE);
}

#[test]
fn mistakes_in_web_are_found() {
    check(WEB);
}

#[test]
fn mistakes_in_limits_are_found() {
    check(LIMITS);
}

#[test]
fn all_sections_are_read_whatever_is_wrong_in_one() {
    let outcome = read(
        &["v: '3'\nidentity: 5\nctrl: {listener: x}\nedge: {api: {address: q}}\nweb: []\nfoo: 1\n"],
        &no_variables,
    );
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| (d.line, d.code, d.path.to_string()))
        .collect();
    let expected = [
        (1, "missing-key", "db"),
        (1, "version", "v"),
        (2, "wrong-type", "identity"),
        (3, "invalid-value", "ctrl.listener"),
        (4, "missing-key", "edge.enrollment"),
        (4, "invalid-value", "edge.api.address"),
        (5, "invalid-value", "web"),
        (6, "unknown-key", "foo"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(line, code, path)| (*line, *code, (*path).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_is_no_map_or_no_yaml_is_one_error() {
    for (text, code) in [
        ("", "yaml-empty"),
        ("- 1", "wrong-type"),
        ("~", "wrong-type"),
        ("a: b: c", "yaml-syntax"),
    ] {
        let outcome = read(&[text], &no_variables);
        assert_eq!(
            outcome
                .diagnostics
                .iter()
                .map(|d| d.code)
                .collect::<Vec<_>>(),
            [code],
            "{text:?}"
        );
        assert!(outcome.config.is_none());
    }
}

proptest! {
    #![proptest_config(Config {
        cases: 500,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x6d75_7461),
        failure_persistence: None,
        ..Config::default()
    })]

    /// Replaces the value or the key of a random word, so that most files are YAML and all are wrong somewhere.
    #[test]
    fn no_file_makes_the_reader_panic(
        at in any::<prop::sample::Index>(),
        new in prop_oneof![
            Just("~"), Just("[]"), Just("{}"), Just("5"), Just("no"), Just("''"), Just("[{}]"), Just("\"a\\u0000\""),
            Just("1e999"), Just("-1h"), Just("tls:"), Just(":"), Just("[::]:1"), Just("${A}"), Just("<<"), Just("file:%"),
        ],
    ) {
        let words: Vec<(usize, &str)> = SMALLEST.match_indices(|c: char| c.is_alphanumeric()).collect();
        let start = words[at.index(words.len())].0;
        let end = start + SMALLEST[start..].find(|c: char| !c.is_alphanumeric() && c != '.').unwrap_or(1);
        let text = format!("{}{new}{}", &SMALLEST[..start], &SMALLEST[end..]);
        let outcome = read(&[&text], &no_variables);
        let errors = outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        prop_assert_eq!(outcome.config.is_none(), errors > 0, "{}", text);
        for diagnostic in &outcome.diagnostics {
            let span = diagnostic.span;
            prop_assert!(text.get(span.start..span.end).is_some(), "{:?}", diagnostic);
        }
    }
}
