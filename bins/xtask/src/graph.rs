//! Dependency graph from `cargo metadata`.

mod metadata;

use crate::workspace;
use anyhow::{Context as _, ensure};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

pub(crate) use metadata::{DeclaredDependency, DependencyKind, Package};

/// Package id of cargo.
pub(crate) type PackageId = String;

/// All packages of the workspace build, and their dependencies.
#[derive(Debug)]
pub(crate) struct DependencyGraph {
    packages: BTreeMap<PackageId, Package>,
    edges: BTreeMap<PackageId, Vec<Edge>>,
    features: BTreeMap<PackageId, Vec<String>>,
    members: BTreeSet<PackageId>,
    root: PathBuf,
}

#[derive(Debug)]
struct Edge {
    to: PackageId,
    kinds: Vec<DependencyKind>,
}

impl Edge {
    /// Whether the dependency is for more than tests.
    fn is_for_build(&self) -> bool {
        self.kinds.iter().any(|kind| *kind != DependencyKind::Dev)
    }
}

impl DependencyGraph {
    /// Loads the graph of the workspace at `root` for all platforms.
    pub(crate) fn load(root: &Path) -> anyhow::Result<Self> {
        Self::run_cargo_metadata(root, &[])
    }

    /// Loads the graph of the workspace at `root` for one platform.
    pub(crate) fn load_for(root: &Path, platform: &str) -> anyhow::Result<Self> {
        Self::run_cargo_metadata(root, &["--filter-platform", platform])
    }

    fn run_cargo_metadata(root: &Path, further: &[&str]) -> anyhow::Result<Self> {
        let output = workspace::cargo(root)
            .args(["metadata", "--format-version", "1", "--locked"])
            .args(further)
            .output()
            .context("cargo cannot be run")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cargo metadata failed:\n{errors}");
        Self::parse(&output.stdout)
    }

    /// Parses the output of `cargo metadata`.
    pub(crate) fn parse(json: &[u8]) -> anyhow::Result<Self> {
        let metadata: metadata::Metadata = serde_json::from_slice(json)
            .context("the output of cargo metadata cannot be parsed")?;
        let packages: BTreeMap<_, _> = metadata
            .packages
            .into_iter()
            .map(|package| (package.id.clone(), package))
            .collect();
        let mut edges = BTreeMap::new();
        let mut features = BTreeMap::new();
        for node in metadata.resolve.nodes {
            let package = packages
                .get(&node.id)
                .context("a node of the graph has no package")?;
            let used = |to: &PackageId| {
                packages
                    .get(to)
                    .is_some_and(|to| package.activates(&to.name, &node.features))
            };
            let of_node = node
                .deps
                .iter()
                .filter(|dep| used(&dep.pkg))
                .map(|dep| Edge {
                    to: dep.pkg.clone(),
                    kinds: dep
                        .dep_kinds
                        .iter()
                        .map(|kind| kind.kind.unwrap_or(DependencyKind::Normal))
                        .collect(),
                });
            let of_node = of_node.collect();
            edges.insert(node.id.clone(), of_node);
            features.insert(node.id, node.features);
        }
        let members = metadata.workspace_members.into_iter().collect();
        Ok(Self {
            packages,
            edges,
            features,
            members,
            root: metadata.workspace_root,
        })
    }

    /// Crates of the workspace.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.members.iter().filter_map(|id| self.packages.get(id))
    }

    /// Whether a crate of the workspace has this name.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        self.members().any(|member| member.name == name)
    }

    /// Folder of a member, relative to the root of the workspace.
    pub(crate) fn folder<'p>(&self, member: &'p Package) -> &'p Path {
        let folder = member
            .manifest_path
            .parent()
            .unwrap_or(&member.manifest_path);
        folder.strip_prefix(&self.root).unwrap_or(folder)
    }

    /// All packages used in a build or a test of the workspace.
    pub(crate) fn all_dependencies(&self) -> Vec<&Package> {
        self.reachable(self.members.iter(), |_| true)
    }

    /// All packages used in a build of `program`, including itself.
    pub(crate) fn build_closure<'g>(&'g self, program: &'g Package) -> Vec<&'g Package> {
        self.reachable(std::iter::once(&program.id), Edge::is_for_build)
    }

    /// Direct build dependencies of a package.
    pub(crate) fn direct_dependencies(&self, package: &Package) -> impl Iterator<Item = &Package> {
        let edges = self.edges.get(&package.id).into_iter().flatten();
        edges
            .filter(|edge| edge.is_for_build())
            .filter_map(|edge| self.packages.get(&edge.to))
    }

    /// Packages that are reachable from `from` along certain edges.
    fn reachable<'g>(
        &'g self,
        from: impl Iterator<Item = &'g PackageId>,
        follows: impl Fn(&Edge) -> bool,
    ) -> Vec<&'g Package> {
        let mut seen: BTreeSet<&PackageId> = from.collect();
        let mut queue: VecDeque<&PackageId> = seen.iter().copied().collect();
        while let Some(id) = queue.pop_front() {
            let edges = self.edges.get(id).into_iter().flatten();
            for edge in edges.filter(|edge| follows(edge)) {
                if seen.insert(&edge.to) {
                    queue.push_back(&edge.to);
                }
            }
        }
        seen.into_iter()
            .filter_map(|id| self.packages.get(id))
            .collect()
    }

    /// Features that a package is built with, for all crates of the workspace at once.
    pub(crate) fn features(&self, package: &Package) -> &[String] {
        self.features.get(&package.id).map_or(&[], Vec::as_slice)
    }

    /// Shortest dependency path from `from` to a package named `to`, without dev-dependencies.
    pub(crate) fn shortest_path(&self, from: &Package, to: &str) -> Option<Vec<&str>> {
        let mut came_from: BTreeMap<&PackageId, Option<&PackageId>> =
            BTreeMap::from([(&from.id, None)]);
        let mut queue = VecDeque::from([&from.id]);
        while let Some(id) = queue.pop_front() {
            let name = self.packages.get(id)?.name.as_str();
            if name == to {
                let steps = std::iter::successors(Some(id), |at| came_from.get(at).copied()?);
                let mut way: Vec<_> = steps
                    .filter_map(|id| self.packages.get(id))
                    .map(|p| p.name.as_str())
                    .collect();
                way.reverse();
                return Some(way);
            }
            let edges = self.edges.get(id).into_iter().flatten();
            for edge in edges.filter(|edge| edge.is_for_build()) {
                if !came_from.contains_key(&edge.to) {
                    came_from.insert(&edge.to, Some(id));
                    queue.push_back(&edge.to);
                }
            }
        }
        None
    }
}
