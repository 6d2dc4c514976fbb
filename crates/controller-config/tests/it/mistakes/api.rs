//! Mistakes in `edge.api`.

use super::{Case, case};

pub(super) const API: &[Case] = &[
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
