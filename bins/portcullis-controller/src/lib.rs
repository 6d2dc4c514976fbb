//! The Portcullis controller: reads a configuration, assembles the components and serves until it is
//! stopped.
//!
//! [`main`] is the whole program. Programs that embed a controller, such as tests, create a home with
//! [`home::create`], load its configuration with [`config::load`], and pass [`ServeOptions`] to
//! [`serve`].

mod admin_credentials;
mod audit;
mod backup;
mod blocking_writer;
mod build;
mod ca_bundle;
mod cli;
mod commands;
pub mod config;
mod config_key;
mod core_dumps;
mod diagnostics;
mod files;
pub mod home;
mod judgement;
mod logging;
mod output;
mod panics;
mod pem;
mod privileges;
mod prompt;
mod serve;
mod service_manager;
mod signals;
mod store;
mod usage;

pub use audit::AuditDestination;
pub use serve::{
    FirstAdministrator, Reloader, RunningController, ServeOptions, StartReport, serve,
};

use clap::FromArgMatches as _;
use clap::parser::ValueSource;
use portcullis_command_line::completion;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

/// Runs the command line and returns the exit code: 0 for success, 1 for a failure, which is explained
/// on stderr in one line, 2 for an invalid command line.
pub fn main() -> ExitCode {
    if let Some(code) = completion::answer(cli::PROGRAM, |_words| cli::command()) {
        return code;
    }
    let without_privileges = privileges::forbid_new();
    let matches = cli::command().get_matches();
    let cli = match cli::Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let log_source = match matches.value_source("log") {
        Some(ValueSource::EnvVariable) => "PORTCULLIS_LOG",
        _ => "--log",
    };
    let is_service = matches!(cli.command, cli::Command::Run(_));
    let _flush = logging::FlushAtEnd;
    panics::install_hook();
    let outcome = logging::init(cli.log.as_deref(), log_source).and_then(|()| {
        if !cli.allow_core_dumps {
            core_dumps::forbid();
        }
        if let Err(error) = without_privileges {
            tracing::warn!(%error, "gaining privileges cannot be forbidden (PR_SET_NO_NEW_PRIVS)");
        }
        commands::run(cli.command)
    });
    match outcome {
        Ok(code) => code,
        Err(error) => {
            // A collector of lines looks for a level, and does not read the last sentence.
            if is_service && !io::stderr().is_terminal() {
                tracing::error!("{}", output::error_chain(&error));
            }
            // The log comes before the final error message.
            logging::flush();
            output::eprint_error(&error);
            usage::exit_code(&error)
        },
    }
}
