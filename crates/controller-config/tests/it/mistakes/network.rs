//! Mistakes in `network`.

use super::{Case, case};

pub(super) const NETWORK: &[Case] = &[
    case("v: 3\n", "v: 3\nnetwork:\n", &[]),
    case(
        "v: 3\n",
        "v: 3\nnetwork: {minRouterCosts: 5, rerouteCap: 5}\n",
        &[
            (2, 11, "unknown-key", "`minRouterCost`?"),
            (2, 30, "unknown-key", "belongs to `network.smart`"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nminRouterCost: 5\n",
        &[(2, 1, "unknown-key", "belongs to `network`")],
    ),
    case(
        "v: 3\n",
        "v: 3\nnetwork: {smart: {rerouteFraction: 2, rerouteCap: -1, minCostDelta: 1.5}}\n",
        &[
            (2, 36, "out-of-range", "from 0 to 1"),
            (2, 51, "out-of-range", "from 0 to 1000"),
            (2, 69, "wrong-type", "an integer"),
        ],
    ),
    // A dial that has no time could not succeed.
    case(
        "v: 3\n",
        "v: 3\nnetwork: {routeTimeoutSeconds: 0, createCircuitRetries: 101}\n",
        &[
            (2, 32, "out-of-range", "from 1 to 600"),
            (2, 57, "out-of-range", "from 0 to 100"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nnetwork: {initialLinkLatency: 65, routerConnectChurnLimit: -1s}\n",
        &[
            (2, 31, "invalid-value", "`65s` or `65ms`"),
            (2, 60, "out-of-range", "from 0s to 24h"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nnetwork: {pendingLinkTimeoutSeconds: 5, enableLegacyLinkMgmt: true}\n",
        &[
            (2, 11, "ignored-key", "none is pending"),
            (2, 41, "ignored-key", "routers always manage"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nnetwork: {routerMessaging: {queueSize: 5}, metricsReportInterval: 0s, intervalAgeThreshold: 48h}\n",
        &[
            (2, 11, "ignored-key", "a queue of its own"),
            (2, 67, "out-of-range", "from 1s to 24h"),
            (2, 93, "out-of-range", "from 0s to 24h"),
        ],
    ),
];
