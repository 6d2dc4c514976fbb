//! Mistakes in `ctrl`.

use super::{Case, case};

pub(super) const CTRL: &[Case] = &[
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
        "tcp:0.0.0.0:6262",
        &[(5, 13, "invalid-value", "over `tcp`")],
    ),
    case(
        "tls:0.0.0.0:6262",
        "tls:127.0.0.1:1280",
        &[(5, 13, "port-taken", "`0.0.0.0:1280`")],
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
