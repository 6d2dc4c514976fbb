//! Mistakes in `limits`.

use super::{Case, case};

pub(super) const LIMITS: &[Case] = &[
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
