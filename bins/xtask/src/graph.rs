//! The dependency graph, as `cargo metadata` tells it.

mod metadata;

use crate::workspace;
use anyhow::{Context as _, ensure};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

pub(crate) use metadata::{Declared, Kind, Package};

/// A package among all others.
pub(crate) type Id = String;

/// All packages that the workspace is built from, and who uses whom.
#[derive(Debug)]
pub(crate) struct Graph {
    packages: BTreeMap<Id, Package>,
    edges: BTreeMap<Id, Vec<Edge>>,
    members: BTreeSet<Id>,
    root: PathBuf,
}

#[derive(Debug)]
struct Edge {
    to: Id,
    kinds: Vec<Kind>,
}

impl Edge {
    /// Whether it is there for more than tests.
    fn is_of_build(&self) -> bool {
        self.kinds.iter().any(|kind| *kind != Kind::Dev)
    }
}

impl Graph {
    /// Asks cargo for the graph of the workspace at `root`, for all platforms.
    pub(crate) fn load(root: &Path) -> anyhow::Result<Self> {
        Self::ask(root, &[])
    }

    /// Asks cargo for the graph of the workspace at `root`, for one platform.
    pub(crate) fn load_for(root: &Path, platform: &str) -> anyhow::Result<Self> {
        Self::ask(root, &["--filter-platform", platform])
    }

    fn ask(root: &Path, further: &[&str]) -> anyhow::Result<Self> {
        let output = workspace::cargo(root)
            .args(["metadata", "--format-version", "1", "--locked"])
            .args(further)
            .output()
            .context("cargo cannot be run")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cargo metadata failed:\n{errors}");
        Self::parse(&output.stdout)
    }

    /// Reads the answer of `cargo metadata`.
    pub(crate) fn parse(json: &[u8]) -> anyhow::Result<Self> {
        let metadata: metadata::Metadata =
            serde_json::from_slice(json).context("the answer of cargo metadata is unreadable")?;
        let packages: BTreeMap<_, _> = metadata
            .packages
            .into_iter()
            .map(|package| (package.id.clone(), package))
            .collect();
        let mut edges = BTreeMap::new();
        for node in metadata.resolve.nodes {
            let package = packages
                .get(&node.id)
                .context("a node of the graph has no package")?;
            let used = |to: &Id| {
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
                        .map(|kind| kind.kind.unwrap_or(Kind::Normal))
                        .collect(),
                });
            let of_node = of_node.collect();
            edges.insert(node.id, of_node);
        }
        let members = metadata.workspace_members.into_iter().collect();
        Ok(Self {
            packages,
            edges,
            members,
            root: metadata.workspace_root,
        })
    }

    /// The crates of the workspace.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.members.iter().filter_map(|id| self.packages.get(id))
    }

    /// Whether a crate of the workspace has this name.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        self.members().any(|member| member.name == name)
    }

    /// The folder of a member, seen from the root of the workspace.
    pub(crate) fn folder<'p>(&self, member: &'p Package) -> &'p Path {
        let folder = member
            .manifest_path
            .parent()
            .unwrap_or(&member.manifest_path);
        folder.strip_prefix(&self.root).unwrap_or(folder)
    }

    /// Every package that takes part in a build or a test of the workspace.
    pub(crate) fn in_use(&self) -> Vec<&Package> {
        self.reached(self.members.iter(), |_| true)
    }

    /// Every package that takes part in a build of `program`, itself among them.
    pub(crate) fn built_into<'g>(&'g self, program: &'g Package) -> Vec<&'g Package> {
        self.reached(std::iter::once(&program.id), Edge::is_of_build)
    }

    /// What a package itself uses in a build.
    pub(crate) fn used_by(&self, package: &Package) -> impl Iterator<Item = &Package> {
        let edges = self.edges.get(&package.id).into_iter().flatten();
        edges
            .filter(|edge| edge.is_of_build())
            .filter_map(|edge| self.packages.get(&edge.to))
    }

    /// The packages to which such edges lead from these.
    fn reached<'g>(
        &'g self,
        from: impl Iterator<Item = &'g Id>,
        follows: impl Fn(&Edge) -> bool,
    ) -> Vec<&'g Package> {
        let mut seen: BTreeSet<&Id> = from.collect();
        let mut queue: VecDeque<&Id> = seen.iter().copied().collect();
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

    /// A shortest way on which `from` comes to a package named `to`, tests left aside.
    ///
    /// Ways through a package named `beyond` do not count.
    pub(crate) fn way(&self, from: &Package, to: &str, beyond: Option<&str>) -> Option<Vec<&str>> {
        let mut came_from: BTreeMap<&Id, Option<&Id>> = BTreeMap::from([(&from.id, None)]);
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
            if Some(name) == beyond {
                continue;
            }
            let edges = self.edges.get(id).into_iter().flatten();
            for edge in edges.filter(|edge| edge.is_of_build()) {
                if !came_from.contains_key(&edge.to) {
                    came_from.insert(&edge.to, Some(id));
                    queue.push_back(&edge.to);
                }
            }
        }
        None
    }
}
