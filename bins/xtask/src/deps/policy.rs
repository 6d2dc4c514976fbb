//! Dependency policy from `.cargo/deny.toml`.

use crate::graph::Package;
use crate::workspace;
use anyhow::Context as _;
use serde::Deserialize;
use std::fmt;
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
    /// Features that packages may not be built with.
    #[serde(default)]
    pub(super) features: Vec<FeatureBan>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Ban {
    #[serde(rename = "crate")]
    pub(super) name: String,
    /// Replacement of the package.
    pub(super) use_instead: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct FeatureBan {
    #[serde(rename = "crate")]
    pub(super) spec: PackageSpec,
    pub(super) deny: Vec<String>,
}

/// A package and the beginning of its version, as `prost@0.14`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct PackageSpec {
    name: String,
    version: String,
}

impl PackageSpec {
    pub(super) fn matches(&self, package: &Package) -> bool {
        let further = package.version.strip_prefix(&self.version);
        package.name == self.name
            && further.is_some_and(|further| further.is_empty() || further.starts_with('.'))
    }
}

impl TryFrom<String> for PackageSpec {
    type Error = String;

    fn try_from(spec: String) -> Result<Self, Self::Error> {
        let (name, version) = spec
            .split_once('@')
            .ok_or_else(|| format!("{spec:?} is not a package with its version, as prost@0.14"))?;
        Ok(Self {
            name: name.to_owned(),
            version: version.to_owned(),
        })
    }
}

impl fmt::Display for PackageSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}
