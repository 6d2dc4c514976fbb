//! What packages may be, as `.cargo/deny.toml` says it.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Policy {
    pub(super) licenses: Licenses,
    pub(super) bans: Bans,
}

#[derive(Debug, Deserialize)]
pub(super) struct Licenses {
    /// Licences that may occur, as SPDX names.
    pub(super) allow: Vec<String>,
    /// Packages that say their licence otherwise than in their manifest.
    #[serde(default)]
    pub(super) clarify: Vec<Clarification>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Clarification {
    #[serde(rename = "crate")]
    pub(super) name: String,
    pub(super) expression: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Bans {
    pub(super) deny: Vec<Ban>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Ban {
    #[serde(rename = "crate")]
    pub(super) name: String,
    /// What to use in its place.
    pub(super) use_instead: String,
}
