//! The part of cargo's metadata format (version 1) that the checks read.

use super::Id;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<Id>,
    pub(crate) workspace_root: PathBuf,
    pub(crate) resolve: Resolve,
}

/// A package: a crate of the workspace or one that it uses.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) version: String,
    /// SPDX expression.
    pub(crate) license: Option<String>,
    /// Where it comes from; `None` for a path.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Declared>,
    features: BTreeMap<String, Vec<String>>,
}

/// A dependency as a manifest declares it.
#[derive(Debug, Deserialize)]
pub(crate) struct Declared {
    pub(crate) name: String,
    #[serde(default, deserialize_with = "absent_is_normal")]
    pub(crate) kind: Kind,
    rename: Option<String>,
    #[serde(default)]
    optional: bool,
}

/// What a dependency is used for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
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
    pub(crate) id: Id,
    pub(crate) deps: Vec<NodeDep>,
    pub(crate) features: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NodeDep {
    pub(crate) pkg: Id,
    pub(crate) dep_kinds: Vec<DepKind>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DepKind {
    pub(crate) kind: Option<Kind>,
}

fn absent_is_normal<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Kind, D::Error> {
    Option::<Kind>::deserialize(from).map(Option::unwrap_or_default)
}

impl Package {
    /// Whether the dependency `name` is built under these features.
    ///
    /// The graph that cargo reports holds optional dependencies that only a weak feature
    /// (`name?/feature`) mentions, though nothing ever switches them on.
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
                        .any(|entry| switches_on(entry, key))
            })
    }
}

/// Whether an entry of a feature switches the optional dependency `key` on.
fn switches_on(entry: &str, key: &str) -> bool {
    let (dependency, _feature) = entry.split_once('/').unwrap_or((entry, ""));
    dependency.strip_prefix("dep:").unwrap_or(dependency) == key
        && (entry.starts_with("dep:") || entry.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::switches_on;

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
            assert_eq!(switches_on(entry, "ring"), expected, "{entry}");
        }
    }
}
