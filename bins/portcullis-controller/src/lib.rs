//! The Portcullis controller as a program: what reads a configuration, puts the parts together and
//! serves until it is told to stop.
//!
//! [`main`] is the whole program. Programs that run a controller inside themselves, such as tests,
//! make a home with [`home::prepare`], read its configuration with [`config::load`], and hand a
//! [`Plan`] to [`serve`].

mod audit;
mod build;
mod cli;
mod commands;
pub mod config;
mod core_dumps;
mod diagnostics;
mod files;
pub mod home;
mod logging;
mod login;
mod material;
mod output;
mod panics;
mod privileges;
mod prompt;
mod serve;
mod signals;
mod store;
pub mod system;
mod usage;
mod waiting_writer;

pub use audit::AuditTarget;
pub use serve::{FirstAdministrator, Plan, Running, serve};

use clap::Parser as _;
use std::process::ExitCode;

/// Parses the command line, does what it asks and says how that went: 0 when all is well, 1 for a
/// failure, which is explained on stderr in one sentence, 2 for a command line that makes no sense.
pub fn main() -> ExitCode {
    let without_privileges = privileges::forbid_new();
    let cli = cli::Cli::parse();
    let _flush = logging::FlushAtEnd;
    panics::log_them();
    let outcome = logging::init(&cli.log).and_then(|()| {
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
            // What was logged stands before the sentence that the program ends with.
            logging::flush();
            output::failure(&error);
            usage::exit_code(&error)
        },
    }
}
