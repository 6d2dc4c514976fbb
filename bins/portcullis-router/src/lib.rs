//! The Portcullis router: enrolls with a controller, reads a configuration and runs until it is stopped.
//!
//! [`main`] is the whole program.

mod cli;
mod commands;
mod config;
mod console;
mod memory_profile;

use clap::FromArgMatches as _;
use portcullis_command_line::completion;
use portcullis_program::{StartOptions, log_source, start};
use std::process::ExitCode;

/// Runs the command line and returns the exit code: 0 for success, 1 for a failure, which is explained
/// on stderr in one line, 2 for an invalid command line.
pub fn main() -> ExitCode {
    if let Some(code) = completion::answer(cli::PROGRAM, |_words| cli::command()) {
        return code;
    }
    let matches = cli::command().get_matches();
    let cli = match cli::Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let log = cli.log().map(str::to_owned);
    let options = StartOptions {
        log: log.as_deref(),
        log_source: log_source(&matches),
        allow_core_dumps: cli.allow_core_dumps,
        is_service: matches!(cli.command, cli::Command::Run(_)),
        panic_guard: guarded_place,
    };
    start(options, || commands::run(cli.command))
}

/// Where panics become errors.
fn guarded_place() -> Option<&'static str> {
    portcullis_yaml::is_parsing().then_some("the parser of a configuration file")
}
