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

use std::process::ExitCode;

/// Runs the command line and returns the exit code: 0 for success, 1 for a failure, which is explained
/// on stderr in one line, 2 for an invalid command line.
pub fn main() -> ExitCode {
    portcullis_program::start(|| None, |cli: cli::Cli| commands::run(cli.command))
}
