//! Mistakes in the rest of `edge`.

use super::{Case, case};

pub(super) const EDGE: &[Case] = &[
    case(
        "    edgeIdentity: {}\n",
        "",
        &[(9, 3, "missing-key", "edgeIdentity")],
    ),
    case(
        "edgeRouter: {}",
        "edgeRouter: {duration: 4m}",
        &[(12, 28, "out-of-range", "3h is used")],
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
        "    edgeRouter: {}\n  oidc: {accessTokenDuration: 1m, idTokenDuration: 1m, refreshTokenDuration: 2m}\n",
        &[],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  oidc: {accessTokenDuration: 59s, idTokenDuration: 59999ms, refreshTokenDuration: 119s}\n",
        &[
            (13, 31, "out-of-range", "60s is used"),
            (13, 53, "out-of-range", "60s is used"),
            (13, 84, "out-of-range", "120s is used"),
        ],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  oidc: {accessTokenDuration: 2h, refreshTokenDuration: 2h59s}\n",
        &[(13, 57, "out-of-range", "7260s is used")],
    ),
    case(
        "    edgeRouter: {}\n",
        "    edgeRouter: {}\n  oidc: {accessTokenDuration: -1h, idTokenDuration: x, refreshTokenDuration: 5}\n",
        &[
            (13, 31, "out-of-range", "60s is used"),
            (13, 53, "invalid-value", "`x`"),
            (13, 78, "invalid-value", "`5`"),
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
