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

use portcullis_storage_redb::guard;
use std::process::ExitCode;

/// Runs the command line and returns the exit code: 0 for success, 1 for a failure, which is explained
/// on stderr in one line, 2 for an invalid command line.
pub fn main() -> ExitCode {
    portcullis_program::start(guarded_place, |cli: cli::Cli| commands::run(cli.command))
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
