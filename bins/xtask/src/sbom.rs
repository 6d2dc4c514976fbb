//! Software bill of materials of a program, in CycloneDX 1.5.
//!
//! The output is reproducible for one platform, so that two builders can compare theirs: it contains neither
//! a timestamp nor a serial number, which are optional and which cargo-cyclonedx writes.

mod bom;
#[cfg(test)]
mod tests;

use crate::deps::Policy;
use crate::graph::{DependencyGraph, Package};
use crate::workspace;
use anyhow::Context as _;
use bom::{Bom, Component, Dependency};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The program, such as `portcullis-controller`
    program: String,
    /// Target platform; `host-tuple` is the platform of this machine
    #[arg(long, default_value = "host-tuple")]
    target: String,
}

/// Prints the bill of materials.
pub(crate) fn print(root: &Path, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let graph = DependencyGraph::load_for(root, &arguments.target)?;
    let checksums = checksums(&workspace::read(root, "Cargo.lock")?)?;
    let bom = build_bom(&graph, &Policy::load(root)?, &checksums, &arguments.program)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &bom)?;
    writeln!(out)?;
    Ok(ExitCode::SUCCESS)
}

/// Names, versions and SHA-256 of packages.
type Checksums = BTreeMap<(String, String), String>;

/// Parses the checksums of registry packages in the lock file.
fn checksums(lock: &str) -> anyhow::Result<Checksums> {
    #[derive(Deserialize)]
    struct Lock {
        package: Vec<Locked>,
    }
    #[derive(Deserialize)]
    struct Locked {
        name: String,
        version: String,
        checksum: Option<String>,
    }
    let lock: Lock = toml::from_str(lock).context("Cargo.lock is not a lock file")?;
    let locked = lock.package.into_iter();
    Ok(locked
        .filter_map(|package| Some(((package.name, package.version), package.checksum?)))
        .collect())
}

/// Builds the BOM of a program: all linked packages, code generators and build dependencies, including
/// those of features that only another member of the workspace enables.
fn build_bom(
    graph: &DependencyGraph,
    policy: &Policy,
    checksums: &Checksums,
    program: &str,
) -> anyhow::Result<Bom> {
    let program = graph
        .members()
        .find(|member| member.name == program)
        .with_context(|| format!("no crate of the workspace is called {program}"))?;
    let mut packages = graph.build_closure(program);
    packages.sort_by_key(|package| (&package.name, &package.version));
    let component = |package: &Package| {
        let locked = (package.name.clone(), package.version.clone());
        let checksum = checksums.get(&locked).cloned();
        Component::new(package, policy.license_of(package), checksum)
    };
    let library_packages = packages.iter().filter(|package| package.id != program.id);
    let components = library_packages.map(|package| component(package)).collect();
    let dependencies = packages.iter().map(|package| {
        let mut used: Vec<_> = graph
            .direct_dependencies(package)
            .map(bom::reference)
            .collect();
        used.sort();
        Dependency::new(package, used)
    });
    let dependencies = dependencies.collect();
    Ok(Bom::new(
        component(program).into_program(),
        components,
        dependencies,
    ))
}
