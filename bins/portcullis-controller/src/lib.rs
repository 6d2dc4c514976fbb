//! The Portcullis controller: reads a configuration, assembles the components and serves until it is
//! stopped.
//!
//! [`main`] is the whole program. Programs that embed a controller, such as tests, create a home with
//! [`home::create`], load its configuration with [`config::load`], and pass [`ServeOptions`] to
//! [`serve`].

mod admin_credentials;
mod audit;
mod backup;
mod build;
mod ca_bundle;
mod cli;
mod commands;
pub mod config;
mod config_key;
mod diagnostics;
mod directory_draft;
pub mod home;
mod judgement;
mod pem;
mod prompt;
mod serve;
mod store;

pub use audit::AuditDestination;
pub use serve::{
    FirstAdministrator, Reloader, RunningController, ServeOptions, StartReport, serve,
};

use portcullis_files as files;
use portcullis_program::{logging, output, privileges, service_manager, signals, usage};

use clap::FromArgMatches as _;
use portcullis_command_line::completion;
use portcullis_program::{StartOptions, log_source, start};
use portcullis_storage_redb::guard;
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
    let options = StartOptions {
        log: cli.log.as_deref(),
        log_source: log_source(&matches),
        allow_core_dumps: cli.allow_core_dumps,
        is_service: matches!(cli.command, cli::Command::Run(_)),
        panic_guard: guarded_place,
    };
    start(options, || commands::run(cli.command))
}

/// Where panics become errors: in the engine of the store and the parser of configuration files.
fn guarded_place() -> Option<&'static str> {
    if guard::is_guarded() {
        Some("the engine of the store")
    } else if portcullis_yaml::is_parsing() {
        Some("the parser of a configuration file")
    } else {
        None
    }
}
