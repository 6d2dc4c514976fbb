//! The bill of materials of a program, in the form of CycloneDX 1.5.
//!
//! The same source gives the same bytes for one platform, so that two builders can compare theirs: there is neither a
//! time nor a serial number in it, which the form leaves optional and cargo-cyclonedx writes.

mod bom;
#[cfg(test)]
mod tests;

use crate::deps::Policy;
use crate::graph::{Graph, Package};
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
    /// The platform that it is built for; that of this machine if none is named
    #[arg(long, default_value = "host-tuple")]
    target: String,
}

/// Prints the bill of materials.
pub(crate) fn print(root: &Path, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let graph = Graph::load_for(root, &arguments.target)?;
    let checksums = checksums(&workspace::read(root, "Cargo.lock")?)?;
    let bom = bill(&graph, &Policy::load(root)?, &checksums, &arguments.program)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &bom)?;
    writeln!(out)?;
    Ok(ExitCode::SUCCESS)
}

/// Names, versions and SHA-256 of packages.
type Checksums = BTreeMap<(String, String), String>;

/// What the lock file says that packages from a registry have to be.
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

/// All that takes part in the build of a program: what is linked into it, what generates code of it,
/// and what builds either. With what a feature brings that only another member of the workspace asks for.
fn bill(
    graph: &Graph,
    policy: &Policy,
    checksums: &Checksums,
    program: &str,
) -> anyhow::Result<Bom> {
    let program = graph
        .members()
        .find(|member| member.name == program)
        .with_context(|| format!("no crate of the workspace is called {program}"))?;
    let mut packages = graph.built_into(program);
    packages.sort_by_key(|package| (&package.name, &package.version));
    let component = |package: &Package| {
        let locked = (package.name.clone(), package.version.clone());
        let checksum = checksums.get(&locked).cloned();
        Component::new(package, policy.licence_of(package), checksum)
    };
    let parts = packages.iter().filter(|package| package.id != program.id);
    let components = parts.map(|package| component(package)).collect();
    let dependencies = packages.iter().map(|package| {
        let mut used: Vec<_> = graph.used_by(package).map(bom::reference).collect();
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
