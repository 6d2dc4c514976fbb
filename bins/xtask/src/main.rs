//! Checks of the workspace beyond the compiler's, and the CI pipeline.
//!
//! `cargo xtask layers`, `deps` and `deviations` print all faults and fail if there are any;
//! `cargo xtask ci` runs them with all other checks, in the order of CI.

mod ci;
mod deps;
mod deviations;
mod findings;
mod graph;
mod layers;
mod load;
mod public_api;
mod published;
mod sbom;
mod workspace;

use clap::{Parser, Subcommand};
use findings::Findings;
use std::io::Write as _;
use std::process::ExitCode;

/// Checks of the workspace, and the CI pipeline.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Checks the dependencies between the crates against the allowed ones
    Layers,
    /// Checks all dependencies against the policy: licenses, banned crates, sources, manifests
    Deps,
    /// Compares docs/api-deviations.md with the tests and recorded steps that it names
    Deviations,
    /// Compares the public API of the crates for others with their `public-api.txt`
    PublicApi,
    /// Runs the steps of CI in order, and stops at the first failure
    Ci,
    /// Prints the software bill of materials of a program, in CycloneDX
    Sbom(sbom::Arguments),
    /// Measures a controller in release form, beside what the machine can do at all
    #[command(disable_help_flag = true)]
    Bench(load::Arguments),
    /// Attacks a controller in release form from many addresses, beside honest clients
    #[command(disable_help_flag = true)]
    Siege(load::Arguments),
}

fn main() -> ExitCode {
    match run(&Arguments::parse().task) {
        Ok(code) => code,
        Err(error) => {
            // Nothing is left to be done about a report that cannot be written.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        },
    }
}

fn run(check: &Task) -> anyhow::Result<ExitCode> {
    let root = workspace::root()?;
    match check {
        Task::Layers => layers::check(&root).and_then(Findings::report),
        Task::Deps => deps::check(&root).and_then(Findings::report),
        Task::Deviations => deviations::check(&root).and_then(Findings::report),
        Task::PublicApi => public_api::check(&root).and_then(Findings::report),
        Task::Ci => ci::run(&root),
        Task::Sbom(arguments) => sbom::print(&root, arguments),
        Task::Bench(arguments) => load::run(&root, "bench", arguments),
        Task::Siege(arguments) => load::run(&root, "siege", arguments),
    }
}
