//! From the parsed command line to the exit code.

use crate::panics::PanicGuard;
use crate::{core_dumps, logging, output, panics, privileges, usage};
use clap::ArgMatches;
use clap::parser::ValueSource;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

/// What a command line says about the process.
#[derive(Debug, Clone, Copy)]
pub struct StartOptions<'a> {
    /// Filter of the log.
    pub log: Option<&'a str>,
    /// The option or variable that names the filter.
    pub log_source: &'a str,
    pub allow_core_dumps: bool,
    /// Whether the command is one that serves until it is ended.
    pub is_service: bool,
    pub panic_guard: PanicGuard,
}

/// The option or variable that `--log` comes from.
pub fn log_source(matches: &ArgMatches) -> &'static str {
    match matches.value_source("log") {
        Some(ValueSource::EnvVariable) => "PORTCULLIS_LOG",
        _ => "--log",
    }
}

/// Sets up the process, runs a command, and returns the exit code: 0 for success, 1 for a failure, which is
/// explained on stderr in one line, 2 for an invalid command line. No other thread may exist yet.
pub fn start(
    options: StartOptions<'_>,
    command: impl FnOnce() -> anyhow::Result<ExitCode>,
) -> ExitCode {
    let without_privileges = privileges::forbid_new();
    let _flush = logging::FlushAtEnd;
    panics::install_hook(options.panic_guard);
    let outcome = logging::init(options.log, options.log_source).and_then(|()| {
        if !options.allow_core_dumps {
            core_dumps::forbid();
        }
        if let Err(error) = without_privileges {
            tracing::warn!(%error, "gaining privileges cannot be forbidden (PR_SET_NO_NEW_PRIVS)");
        }
        command()
    });
    match outcome {
        Ok(code) => code,
        Err(error) => {
            // A collector of lines looks for a level, and does not read the last sentence.
            if options.is_service && !io::stderr().is_terminal() {
                tracing::error!("{}", output::error_chain(&error));
            }
            // The log comes before the final error message.
            logging::flush();
            output::eprint_error(&error);
            usage::exit_code(&error)
        },
    }
}
