//! Checks of the workspace that the compiler does not make, and the run that CI makes.
//!
//! `cargo xtask layers`, `deps` and `deviations` each print what is wrong and fail if anything is;
//! `cargo xtask ci` runs them among all the other checks, in the order of CI.

mod ci;
mod deps;
mod deviations;
mod findings;
mod graph;
mod layers;
mod load;
mod published;
mod sbom;
mod workspace;

use clap::{Parser, Subcommand};
use findings::Findings;
use std::io::Write as _;
use std::process::ExitCode;

/// Checks of the workspace, and the run that CI makes.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    check: Check,
}

#[derive(Debug, Subcommand)]
enum Check {
    /// Compares the dependencies between the crates with the allowed arrows
    Layers,
    /// Holds all dependencies to the policy: licences, banned crates, sources, manifests
    Deps,
    /// Compares docs/api-deviations.md with the tests and recorded steps that it names
    Deviations,
    /// Runs what CI runs, in the same order, and stops at the first failure
    Ci,
    /// Prints what a program is built from, in the form of CycloneDX
    Sbom(sbom::Arguments),
    /// Measures a controller in release form, beside what the machine can do at all
    #[command(disable_help_flag = true)]
    Bench(load::Arguments),
    /// Attacks a controller in release form from many addresses, beside honest clients
    #[command(disable_help_flag = true)]
    Siege(load::Arguments),
}

fn main() -> ExitCode {
    match run(&Arguments::parse().check) {
        Ok(code) => code,
        Err(error) => {
            // Nothing is left to be done about a report that cannot be written.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        },
    }
}

fn run(check: &Check) -> anyhow::Result<ExitCode> {
    let root = workspace::root()?;
    match check {
        Check::Layers => layers::check(&root).and_then(Findings::report),
        Check::Deps => deps::check(&root).and_then(Findings::report),
        Check::Deviations => deviations::check(&root).and_then(Findings::report),
        Check::Ci => ci::run(&root),
        Check::Sbom(arguments) => sbom::print(&root, arguments),
        Check::Bench(arguments) => load::run(&root, "bench", arguments),
        Check::Siege(arguments) => load::run(&root, "siege", arguments),
    }
}
