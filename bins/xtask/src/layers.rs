//! Which crate may use which.

mod table;
#[cfg(test)]
mod tests;

use crate::findings::{Findings, count};
use crate::graph::{Declared, Graph, Kind, Package};
use std::path::Path;
use table::{Allowed, TESTKIT};

/// Compares the workspace at `root` with the table.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    Graph::load(root).map(|graph| compare(&graph))
}

fn compare(graph: &Graph) -> Findings {
    let mut faults = Vec::new();
    for member in graph.members() {
        let folder = graph.folder(member);
        let Some(allowed) = table::allowed(folder) else {
            faults.push(format!(
                "{} has no row in the table of layers",
                folder.display()
            ));
            continue;
        };
        let arrows = member
            .dependencies
            .iter()
            .filter(|used| graph.has_member(&used.name));
        faults.extend(arrows.filter_map(|used| judge(member, allowed, used)));
        faults.extend(forbidden(graph, member));
    }
    let scope = format!("layers of {}", count(graph.members().count(), "crate"));
    Findings { faults, scope }
}

/// What is wrong with an arrow from `member` to another crate of the workspace.
fn judge(member: &Package, allowed: Allowed, used: &Declared) -> Option<String> {
    let (from, to) = (&member.name, &used.name);
    if to == TESTKIT {
        return match used.kind {
            Kind::Dev => None,
            Kind::Normal | Kind::Build => {
                Some(format!("{from} uses {to} outside its [dev-dependencies]"))
            },
        };
    }
    let Allowed::Only(names) = allowed else {
        return None;
    };
    let short = to.strip_prefix("portcullis-").unwrap_or(to);
    if names.contains(&short) {
        return None;
    }
    let kind = match used.kind {
        Kind::Normal => "",
        Kind::Dev => " in its tests",
        Kind::Build => " in its build script",
    };
    let list = if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    };
    Some(format!("{from} may not use {to}{kind}; it may use {list}"))
}

/// The ways on which a crate comes to packages that its layer stays free of.
fn forbidden(graph: &Graph, member: &Package) -> Vec<String> {
    let short = member
        .name
        .strip_prefix("portcullis-")
        .unwrap_or(&member.name);
    table::FREE_OF
        .iter()
        .filter(|rule| rule.crates.contains(&short))
        .flat_map(|rule| rule.packages.iter().map(|package| (package, rule.beyond)))
        .filter_map(|(package, beyond)| graph.way(member, package, beyond))
        .map(|way| {
            let target = way.last().copied().unwrap_or_default();
            format!(
                "{} must stay free of {target}: {}",
                member.name,
                way.join(" > ")
            )
        })
        .collect()
}
