//! The allowed arrows between the crates; `docs/architecture.md` says why they are these.

use std::path::Path;

/// The crate that only tests use.
pub(super) const TESTKIT: &str = "portcullis-testkit";

/// What a crate may use of the workspace.
#[derive(Debug, Clone, Copy)]
pub(super) enum Allowed {
    /// These crates, named without their prefix; [`TESTKIT`] in tests besides.
    Only(&'static [&'static str]),
    /// Every crate; [`TESTKIT`] in tests only.
    Everything,
}

/// The libraries, by the name of their folder in `crates`.
const LIBRARIES: &[(&str, Allowed)] = &[
    ("api", Allowed::Only(&["domain"])),
    (
        "app",
        Allowed::Only(&[
            "config-types",
            "domain",
            "filter",
            "index",
            "pki",
            "posture",
            "storage",
            "totp",
        ]),
    ),
    ("channel", Allowed::Only(&[])),
    ("client", Allowed::Only(&["api", "domain"])),
    ("config-types", Allowed::Only(&["domain"])),
    ("controller-config", Allowed::Only(&["domain", "yaml"])),
    ("domain", Allowed::Only(&[])),
    ("filter", Allowed::Only(&["domain"])),
    ("http", Allowed::Only(&["api", "app", "domain"])),
    ("index", Allowed::Only(&["domain", "filter"])),
    ("pki", Allowed::Only(&["domain"])),
    ("posture", Allowed::Only(&["domain"])),
    (
        "router",
        Allowed::Only(&["domain", "router-config", "yaml"]),
    ),
    ("router-config", Allowed::Only(&["domain", "yaml"])),
    ("storage", Allowed::Only(&["domain"])),
    ("testkit", Allowed::Everything),
    ("totp", Allowed::Only(&["domain"])),
    ("yaml", Allowed::Only(&[])),
];

/// Packages that crates stay free of, however far away they are used.
pub(super) struct FreeOf {
    /// The crates, without their prefix.
    pub(super) crates: &'static [&'static str],
    /// The packages.
    pub(super) packages: &'static [&'static str],
    /// A package whose own dependencies do not count.
    pub(super) beyond: Option<&'static str>,
}

pub(super) const FREE_OF: &[FreeOf] = &[
    FreeOf {
        crates: &[
            "channel",
            "config-types",
            "domain",
            "filter",
            "index",
            "posture",
            "router",
            "router-config",
            "totp",
            "yaml",
        ],
        packages: &["hyper", "redb", "rustls", "tokio"],
        beyond: None,
    },
    FreeOf {
        crates: &["app"],
        packages: &["hyper"],
        beyond: None,
    },
    // The use cases know the port of the store, which lives beside its engine.
    FreeOf {
        crates: &["app"],
        packages: &["redb"],
        beyond: Some("portcullis-storage"),
    },
];

/// What the crate in `folder` may use; `None` when the table does not know it.
pub(super) fn allowed(folder: &Path) -> Option<Allowed> {
    if folder == Path::new("tests") || folder.starts_with("bins") {
        return Some(Allowed::Everything);
    }
    let name = folder.strip_prefix("crates").ok()?.to_str()?;
    LIBRARIES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, allowed)| allowed)
}
