//! Used part of cargo's metadata format (version 1).

use super::PackageId;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<PackageId>,
    pub(crate) workspace_root: PathBuf,
    pub(crate) resolve: Resolve,
}

/// A crate of the workspace or a dependency.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: PackageId,
    pub(crate) name: String,
    pub(crate) version: String,
    /// SPDX expression.
    pub(crate) license: Option<String>,
    /// Source of the package; `None` for a path.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<DeclaredDependency>,
    features: BTreeMap<String, Vec<String>>,
}

/// A dependency as declared in a manifest.
#[derive(Debug, Deserialize)]
pub(crate) struct DeclaredDependency {
    pub(crate) name: String,
    #[serde(default, deserialize_with = "absent_is_normal")]
    pub(crate) kind: DependencyKind,
    rename: Option<String>,
    #[serde(default)]
    optional: bool,
}

/// Kind of a dependency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DependencyKind {
    #[default]
    Normal,
    Dev,
    Build,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) id: PackageId,
    pub(crate) deps: Vec<NodeDep>,
    pub(crate) features: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NodeDep {
    pub(crate) pkg: PackageId,
    pub(crate) dep_kinds: Vec<DepKind>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DepKind {
    pub(crate) kind: Option<DependencyKind>,
}

fn absent_is_normal<'de, D: serde::Deserializer<'de>>(from: D) -> Result<DependencyKind, D::Error> {
    Option::<DependencyKind>::deserialize(from).map(Option::unwrap_or_default)
}

impl Package {
    /// Whether the dependency `name` is enabled by these features.
    ///
    /// The graph of cargo contains optional dependencies that only a weak feature (`name?/feature`)
    /// mentions, although nothing enables them.
    pub(crate) fn activates(&self, name: &str, enabled: &[String]) -> bool {
        self.dependencies
            .iter()
            .filter(|declared| declared.name == name)
            .any(|declared| {
                let key = declared.rename.as_ref().unwrap_or(&declared.name);
                !declared.optional
                    || enabled
                        .iter()
                        .filter_map(|feature| self.features.get(feature))
                        .flatten()
                        .any(|entry| activates_dependency(entry, key))
            })
    }
}

/// Whether a feature entry enables the optional dependency `key`.
fn activates_dependency(entry: &str, key: &str) -> bool {
    let (dependency, _feature) = entry.split_once('/').unwrap_or((entry, ""));
    dependency.strip_prefix("dep:").unwrap_or(dependency) == key
        && (entry.starts_with("dep:") || entry.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::activates_dependency;

    #[test]
    fn weak_features_switch_nothing_on() {
        for (entry, expected) in [
            ("dep:ring", true),
            ("ring/alloc", true),
            ("ring?/alloc", false),
            ("ring", false),
            ("dep:ring-core", false),
            ("untrusted/std", false),
        ] {
            assert_eq!(activates_dependency(entry, "ring"), expected, "{entry}");
        }
    }
}
