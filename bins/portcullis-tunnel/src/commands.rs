//! Commands of the program.

mod enroll;
mod serve;

use crate::cli::{Cli, Command};
use portcullis_program::block_on;
use std::process::ExitCode;

/// Threads for files, names and the terminal. Names of servers are resolved there, for many connections at a time.
const BLOCKING_THREADS: usize = 16;

/// Runs a command.
pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Enroll(arguments) => block_on(BLOCKING_THREADS, enroll::run(arguments)),
        Command::Run(arguments) => block_on(BLOCKING_THREADS, serve::intercept(arguments)),
        Command::Host(arguments) => block_on(BLOCKING_THREADS, serve::host(arguments)),
        Command::Proxy(arguments) => block_on(BLOCKING_THREADS, serve::proxy(arguments)),
        Command::About(command) => command.run::<Cli>(),
    }
}
