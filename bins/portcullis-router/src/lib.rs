//! The Portcullis router: enrolls with a controller, reads a configuration and runs until it is stopped.
//!
//! [`main`] is the whole program.

mod cli;
mod commands;
mod config;
mod console;
mod memory_profile;

use std::process::ExitCode;

/// Runs the command line and returns the exit code: 0 for success, 1 for a failure, which is explained
/// on stderr in one line, 2 for an invalid command line.
pub fn main() -> ExitCode {
    portcullis_program::start(guarded_place, |cli: cli::Cli| commands::run(cli.command))
}

/// Where panics become errors.
fn guarded_place() -> Option<&'static str> {
    portcullis_yaml::is_parsing().then_some("the parser of a configuration file")
}
