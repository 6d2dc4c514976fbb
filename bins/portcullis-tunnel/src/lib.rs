//! The Portcullis tunneler: joins a network with an identity file, and serves programs that know nothing of the
//! network until it is stopped.
//!
//! [`main`] is the whole program.

mod cli;
mod code_prompt;
mod commands;
mod network;
mod own_destinations;
mod server_tls;
mod services;
mod status;

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
        is_service: cli.command.is_service(),
        panic_guard: || None,
    };
    start(options, || commands::run(cli.command))
}
