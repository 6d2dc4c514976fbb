//! Mistakes at the root.

use super::{Case, case};

pub(super) const ROOT: &[Case] = &[
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
        &[(2, 1, "unknown-key", "`db`?")],
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
        "db: ctrl.db\nprofile:\ntrace: {a: 1}",
        &[
            (3, 1, "ignored-key", "profile"),
            (4, 1, "ignored-key", "trace"),
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
