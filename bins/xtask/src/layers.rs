//! Check of the allowed dependencies between crates, and between the modules of a crate.

mod module_order;
mod module_orders;
mod rules;
mod source_file;
#[cfg(test)]
mod tests;
mod tokens;

use crate::findings::{Findings, count};
use crate::graph::{DeclaredDependency, DependencyGraph, DependencyKind, Package};
use module_orders::MODULE_ORDERS;
use rules::{AllowedDependencies, BENCHMARKS, FOR_BENCHMARKS, FOR_TESTS, SYSTEM};
use std::path::Path;

/// Checks the workspace at `root` against the rules.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let mut findings = compare(&DependencyGraph::load(root)?);
    for order in MODULE_ORDERS {
        findings.faults.extend(order.check(root)?);
    }
    let ordered = count(MODULE_ORDERS.len(), "crate");
    findings.scope = format!("{}, order of the modules of {ordered}", findings.scope);
    Ok(findings)
}

fn compare(graph: &DependencyGraph) -> Findings {
    let mut faults = Vec::new();
    for member in graph.members() {
        let folder = graph.folder(member);
        let Some(allowed) = rules::allowed(folder) else {
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
        faults.extend(arrows.filter_map(|used| check_dependency(member, allowed, used)));
        faults.extend(forbidden_paths(graph, member));
    }
    let scope = format!("layers of {}", count(graph.members().count(), "crate"));
    Findings { faults, scope }
}

/// Checks a dependency of `member` on another crate of the workspace.
fn check_dependency(
    member: &Package,
    allowed: AllowedDependencies,
    used: &DeclaredDependency,
) -> Option<String> {
    let (from, to) = (&member.name, &used.name);
    if from == BENCHMARKS && FOR_BENCHMARKS.contains(&to.as_str()) {
        return None;
    }
    if FOR_TESTS.contains(&to.as_str()) {
        return match used.kind {
            DependencyKind::Dev => None,
            DependencyKind::Normal | DependencyKind::Build => {
                Some(format!("{from} uses {to} outside its [dev-dependencies]"))
            },
        };
    }
    if to == SYSTEM && used.kind == DependencyKind::Dev {
        return None;
    }
    let AllowedDependencies::Only(names) = allowed else {
        return None;
    };
    let short = to.strip_prefix("portcullis-").unwrap_or(to);
    if names.contains(&short) {
        return None;
    }
    let kind = match used.kind {
        DependencyKind::Normal => "",
        DependencyKind::Dev => " in its tests",
        DependencyKind::Build => " in its build script",
    };
    let list = if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    };
    Some(format!("{from} may not use {to}{kind}; it may use {list}"))
}

/// Dependency paths from a crate to packages that are forbidden in its layer.
fn forbidden_paths(graph: &DependencyGraph, member: &Package) -> Vec<String> {
    let short = member
        .name
        .strip_prefix("portcullis-")
        .unwrap_or(&member.name);
    rules::FORBIDDEN_PACKAGES
        .iter()
        .filter(|rule| rule.crates.contains(&short))
        .flat_map(|rule| rule.packages)
        .filter_map(|package| graph.shortest_path(member, package))
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
