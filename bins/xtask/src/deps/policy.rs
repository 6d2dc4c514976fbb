//! What packages may be, as `.cargo/deny.toml` says it.

use crate::graph::Package;
use crate::workspace;
use anyhow::Context as _;
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Deserialize)]
pub(crate) struct Policy {
    pub(super) licenses: Licenses,
    pub(super) bans: Bans,
}

impl Policy {
    /// Reads the policy of the workspace at `root`.
    pub(crate) fn load(root: &Path) -> anyhow::Result<Self> {
        toml::from_str(&workspace::read(root, ".cargo/deny.toml")?)
            .context(".cargo/deny.toml is not a policy")
    }

    /// The licence of a package, as its manifest names it or the policy clarifies it.
    pub(crate) fn licence_of<'a>(&'a self, package: &'a Package) -> Option<&'a str> {
        let mut clarified = self.licenses.clarify.iter();
        clarified
            .find(|entry| entry.name == package.name)
            .map(|entry| entry.expression.as_str())
            .or(package.license.as_deref())
    }
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
