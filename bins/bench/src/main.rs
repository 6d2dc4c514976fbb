//! Benchmarks of the programs, and attacks on a running controller; `cargo xtask bench` and
//! `cargo xtask siege` run it.

mod bench;
mod siege;
mod testbed;

use anyhow::ensure;
use clap::{Parser, Subcommand};
use std::io::Write as _;
use std::process::ExitCode;

/// Benchmarks of the programs, and attacks on a running controller.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measures a controller in release form, beside what the machine can do at all
    Bench(bench::Arguments),
    /// Attacks a controller in release form from many addresses, beside honest clients
    Siege(siege::Arguments),
}

fn main() -> ExitCode {
    match run(&Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            // Nothing is left to be done about a report that cannot be written.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        },
    }
}

fn run(command: &Command) -> anyhow::Result<ExitCode> {
    ensure!(
        !cfg!(debug_assertions),
        "the load has to be made by a program in release form; run `cargo xtask bench`"
    );
    match command {
        Command::Bench(arguments) => bench::run(arguments),
        Command::Siege(arguments) => siege::run(arguments),
    }
}
