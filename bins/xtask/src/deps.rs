//! Check of the dependency policy in `.cargo/deny.toml`, of the conventions of the manifests, and of what
//! publishing needs.
//!
//! The policy has the format of cargo-deny, so that the tool can be used as well; this check needs neither
//! the tool nor the network.

mod license;
mod manifests;
mod packages;
mod policy;
mod publishing;

use crate::findings::{Findings, count};
use crate::graph::DependencyGraph;
use crate::workspace;
use anyhow::Context as _;
use std::path::Path;
use toml::Table;

pub(crate) use policy::Policy;

/// Checks every used package against the policy, and every manifest against the conventions.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let graph = DependencyGraph::load(root)?;
    let policy = Policy::load(root)?;
    let workspace = manifest(root, Path::new("Cargo.toml"))?;
    let members = graph
        .members()
        .map(|member| {
            let path = graph.folder(member).join("Cargo.toml");
            manifest(root, &path).map(|manifest| (path, manifest))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let in_use = graph.all_dependencies();
    let mut faults = packages::check(&policy, &in_use, |name| graph.has_member(name));
    faults.extend(packages::check_features(&policy, &in_use, |package| {
        graph.features(package)
    }));
    faults.extend(manifests::check(&workspace, &members));
    for (path, manifest) in &members {
        faults.extend(publishing::check(root, path, manifest));
    }
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
