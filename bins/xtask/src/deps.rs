//! The dependency policy of `.cargo/deny.toml`, and the habits of the manifests.
//!
//! The policy stands in the format of cargo-deny, so that whoever has that tool may use it; this
//! check needs neither the tool nor a network.

mod licence;
mod manifests;
mod packages;
mod policy;

use crate::findings::{Findings, count};
use crate::graph::Graph;
use crate::workspace;
use anyhow::Context as _;
use std::path::Path;
use toml::Table;

pub(crate) use policy::Policy;

/// Checks every package in use against the policy, and every manifest against the habits.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let graph = Graph::load(root)?;
    let policy = Policy::load(root)?;
    let workspace = manifest(root, Path::new("Cargo.toml"))?;
    let members = graph
        .members()
        .map(|member| {
            let path = graph.folder(member).join("Cargo.toml");
            manifest(root, &path).map(|manifest| (path, manifest))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let in_use = graph.in_use();
    let mut faults = packages::check(&policy, &in_use, |name| graph.has_member(name));
    faults.extend(manifests::check(&workspace, &members));
    let scope = format!(
        "dependency policy of {} and {}",
        count(in_use.len(), "package"),
        count(members.len(), "manifest"),
    );
    Ok(Findings { faults, scope })
}

fn manifest(root: &Path, path: &Path) -> anyhow::Result<Table> {
    workspace::read(root, path)?
        .parse()
        .with_context(|| format!("{} is not TOML", path.display()))
}
