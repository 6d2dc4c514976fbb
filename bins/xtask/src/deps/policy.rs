//! Dependency policy from `.cargo/deny.toml`.

use crate::graph::Package;
use crate::workspace;
use anyhow::Context as _;
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Deserialize)]
pub(crate) struct Policy {
    pub(super) licenses: LicensePolicy,
    pub(super) bans: BanPolicy,
}

impl Policy {
    /// Reads the policy of the workspace at `root`.
    pub(crate) fn load(root: &Path) -> anyhow::Result<Self> {
        toml::from_str(&workspace::read(root, ".cargo/deny.toml")?)
            .context(".cargo/deny.toml is not a policy")
    }

    /// The license of a package, as its manifest names it or the policy clarifies it.
    pub(crate) fn license_of<'a>(&'a self, package: &'a Package) -> Option<&'a str> {
        let mut clarified = self.licenses.clarify.iter();
        clarified
            .find(|entry| entry.name == package.name)
            .map(|entry| entry.expression.as_str())
            .or(package.license.as_deref())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct LicensePolicy {
    /// Allowed licenses, as SPDX names.
    pub(super) allow: Vec<String>,
    /// Licenses of packages whose manifest does not name them.
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
pub(super) struct BanPolicy {
    pub(super) deny: Vec<Ban>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Ban {
    #[serde(rename = "crate")]
    pub(super) name: String,
    /// Replacement of the package.
    pub(super) use_instead: String,
}
