//! Allowed dependencies between crates; `docs/architecture.md` gives the reasons.

use std::path::Path;

/// Crates that only tests use.
pub(super) const FOR_TESTS: [&str; 5] = [
    "portcullis-bad-line",
    "portcullis-seeded-random",
    "portcullis-simulated-router",
    "portcullis-simulated-sdk",
    "portcullis-testkit",
];

/// The benchmarks, which are a program to cargo.
pub(super) const BENCHMARKS: &str = "portcullis-bench";

/// Those of [`FOR_TESTS`] that [`BENCHMARKS`] use as well.
pub(super) const FOR_BENCHMARKS: [&str; 4] = [
    "portcullis-bad-line",
    "portcullis-seeded-random",
    "portcullis-simulated-router",
    "portcullis-simulated-sdk",
];

/// The operating system's clock and randomness, which any crate may take in its tests and examples.
pub(super) const SYSTEM: &str = "portcullis-system";

/// Crates of the workspace that a crate may use.
#[derive(Debug, Clone, Copy)]
pub(super) enum AllowedDependencies {
    /// These crates, named without their prefix, and [`FOR_TESTS`] in tests.
    Only(&'static [&'static str]),
    /// Every crate; [`FOR_TESTS`] in tests only.
    Everything,
}

/// Libraries by the name of their folder in `crates`.
const LIBRARIES: &[(&str, AllowedDependencies)] = &[
    ("api", AllowedDependencies::Only(&["domain", "no-schema"])),
    (
        "app",
        AllowedDependencies::Only(&[
            "config-types",
            "domain",
            "events",
            "filter",
            "index",
            "metrics",
            "oidc",
            "pki",
            "posture",
            "storage",
            "totp",
            "wire",
        ]),
    ),
    ("bad-line", AllowedDependencies::Only(&[])),
    ("channel", AllowedDependencies::Only(&[])),
    (
        "channel-traces",
        AllowedDependencies::Only(&["channel", "wire"]),
    ),
    ("client", AllowedDependencies::Only(&["api", "domain"])),
    ("command-line", AllowedDependencies::Only(&["pki"])),
    ("config-types", AllowedDependencies::Only(&["domain"])),
    (
        "control",
        AllowedDependencies::Only(&[
            "app",
            "channel",
            "channel-traces",
            "data-model",
            "domain",
            "events",
            "fabric",
            "metrics",
            "pki",
            "transport",
            "validation",
            "wire",
        ]),
    ),
    (
        "controller-config",
        AllowedDependencies::Only(&["domain", "events", "key-table", "yaml"]),
    ),
    (
        "data-model",
        AllowedDependencies::Only(&["channel", "wire"]),
    ),
    (
        "datagram-flows",
        AllowedDependencies::Only(&["channel", "domain"]),
    ),
    ("domain", AllowedDependencies::Only(&[])),
    ("e2e-encryption", AllowedDependencies::Only(&[])),
    (
        "edge-session",
        AllowedDependencies::Only(&["api", "channel", "client", "domain", "enrollment", "pki"]),
    ),
    (
        "enrollment",
        AllowedDependencies::Only(&["client", "domain", "files", "pki"]),
    ),
    (
        "event-sinks",
        AllowedDependencies::Only(&["domain", "events", "files"]),
    ),
    ("events", AllowedDependencies::Only(&["wire", "yaml"])),
    ("fabric", AllowedDependencies::Only(&["channel", "domain"])),
    ("fetch", AllowedDependencies::Only(&["app", "domain"])),
    ("files", AllowedDependencies::Only(&[])),
    ("filter", AllowedDependencies::Only(&["domain"])),
    (
        "forwarding",
        AllowedDependencies::Only(&["channel", "wire", "xgress"]),
    ),
    (
        "http",
        AllowedDependencies::Only(&[
            "api", "app", "domain", "events", "listener", "metrics", "oidc",
        ]),
    ),
    ("index", AllowedDependencies::Only(&["domain", "filter"])),
    ("key-table", AllowedDependencies::Only(&["yaml"])),
    ("listener", AllowedDependencies::Only(&["domain", "pki"])),
    (
        "management-channel",
        AllowedDependencies::Only(&["app", "channel", "domain", "event-sinks", "events", "wire"]),
    ),
    ("memory-budget", AllowedDependencies::Only(&[])),
    (
        "name-server",
        AllowedDependencies::Only(&["channel", "domain", "tunnel-config"]),
    ),
    ("no-schema", AllowedDependencies::Only(&[])),
    ("oidc", AllowedDependencies::Only(&["domain"])),
    (
        "otlp",
        AllowedDependencies::Only(&["domain", "fetch", "metrics"]),
    ),
    ("pki", AllowedDependencies::Only(&["domain"])),
    ("posture", AllowedDependencies::Only(&["domain"])),
    (
        "program",
        AllowedDependencies::Only(&["command-line", "domain", "files"]),
    ),
    ("metrics", AllowedDependencies::Only(&["domain", "wire"])),
    (
        "router",
        AllowedDependencies::Only(&[
            "channel",
            "channel-traces",
            "data-model",
            "domain",
            "forwarding",
            "memory-budget",
            "name-server",
            "posture",
            "router-config",
            "tunnel-config",
            "tunneler",
            "wire",
            "xgress",
            "yaml",
        ]),
    ),
    (
        "router-config",
        AllowedDependencies::Only(&["domain", "key-table", "yaml"]),
    ),
    (
        "router-config-commands",
        AllowedDependencies::Only(&[
            "command-line",
            "domain",
            "key-table",
            "router-config",
            "yaml",
        ]),
    ),
    (
        "router-io",
        AllowedDependencies::Only(&[
            "channel",
            "channel-traces",
            "datagram-flows",
            "domain",
            "e2e-encryption",
            "files",
            "forwarding",
            "listener",
            "memory-budget",
            "metrics",
            "pki",
            "router",
            "router-config",
            "tproxy",
            "transport",
            "tunnel",
            "tunnel-config",
            "tunneler",
            "wire",
            "xgress",
            "yaml",
        ]),
    ),
    (
        "sdk",
        AllowedDependencies::Only(&[
            "channel",
            "client",
            "domain",
            "e2e-encryption",
            "edge-session",
            "memory-budget",
            "pki",
            "sdk-proto",
            "system",
            "transport",
            "wire",
            "xgress",
        ]),
    ),
    (
        "sdk-proto",
        AllowedDependencies::Only(&["channel", "e2e-encryption", "wire", "xgress"]),
    ),
    ("seeded-random", AllowedDependencies::Only(&[])),
    (
        "simulated-router",
        AllowedDependencies::Only(&["channel", "pki", "transport", "wire"]),
    ),
    (
        "simulated-sdk",
        AllowedDependencies::Only(&["channel", "transport", "wire", "xgress"]),
    ),
    ("storage", AllowedDependencies::Only(&["domain"])),
    (
        "storage-redb",
        AllowedDependencies::Only(&["domain", "storage"]),
    ),
    ("system", AllowedDependencies::Only(&["domain"])),
    ("testkit", AllowedDependencies::Everything),
    ("totp", AllowedDependencies::Only(&["domain"])),
    (
        "tproxy",
        AllowedDependencies::Only(&[
            "channel",
            "domain",
            "name-server",
            "tunnel-config",
            "tunneler",
        ]),
    ),
    (
        "transport",
        AllowedDependencies::Only(&["channel", "memory-budget", "pki"]),
    ),
    (
        "tunnel",
        AllowedDependencies::Only(&[
            "channel",
            "datagram-flows",
            "domain",
            "name-server",
            "tproxy",
            "tunnel-config",
            "tunneler",
        ]),
    ),
    (
        "tunneler",
        AllowedDependencies::Only(&["channel", "domain", "name-server", "tunnel-config"]),
    ),
    (
        "tunnel-config",
        AllowedDependencies::Only(&["channel", "domain", "yaml"]),
    ),
    (
        "validation",
        AllowedDependencies::Only(&["channel", "domain", "wire"]),
    ),
    ("wire", AllowedDependencies::Only(&["channel"])),
    ("xgress", AllowedDependencies::Only(&["channel", "wire"])),
    ("yaml", AllowedDependencies::Only(&[])),
];

/// Packages that crates must not depend on, directly or transitively.
pub(super) struct ForbiddenPackages {
    /// Crates, named without their prefix.
    pub(super) crates: &'static [&'static str],
    pub(super) packages: &'static [&'static str],
}

pub(super) const FORBIDDEN_PACKAGES: &[ForbiddenPackages] = &[
    ForbiddenPackages {
        crates: &[
            "channel",
            "channel-traces",
            "config-types",
            "data-model",
            "datagram-flows",
            "domain",
            "e2e-encryption",
            "events",
            "fabric",
            "filter",
            "forwarding",
            "index",
            "key-table",
            "memory-budget",
            "metrics",
            "name-server",
            "oidc",
            "posture",
            "router",
            "router-config",
            "sdk-proto",
            "storage",
            "totp",
            "tunnel-config",
            "tunneler",
            "validation",
            "wire",
            "xgress",
            "yaml",
        ],
        packages: &["hyper", "redb", "rustls", "tokio"],
    },
    ForbiddenPackages {
        crates: &[
            "app",
            "control",
            "event-sinks",
            "management-channel",
            "transport",
        ],
        packages: &["hyper", "redb"],
    },
    ForbiddenPackages {
        crates: &["router-io"],
        packages: &["redb"],
    },
];

/// Allowed dependencies of the crate in `folder`; `None` if there is no rule for it.
pub(super) fn allowed(folder: &Path) -> Option<AllowedDependencies> {
    if folder == Path::new("tests") || folder.starts_with("bins") {
        return Some(AllowedDependencies::Everything);
    }
    let name = folder.strip_prefix("crates").ok()?.to_str()?;
    LIBRARIES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, allowed)| allowed)
}
