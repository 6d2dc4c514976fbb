//! The commands that are about the program itself.

use crate::command_line::{CommandLine, command};
use crate::completion::{self, CompletionArgs};
use crate::man::{self, ManArgs};
use crate::output;
use clap::Subcommand;
use std::process::ExitCode;

/// Commands that are about the program itself.
#[derive(Debug, Subcommand)]
pub enum AboutCommand {
    /// Generate a shell completion script
    Completion(CompletionArgs),
    /// Write man pages
    Man(ManArgs),
    /// Show the version
    Version,
}

impl AboutCommand {
    /// Runs the command of the program `C`.
    pub fn run<C: CommandLine>(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Completion(arguments) => completion::print(C::NAME, arguments.shell),
            Self::Man(arguments) => man::write(command::<C>(), &arguments.out, arguments.force),
            Self::Version => {
                output::print_line(C::version());
                Ok(ExitCode::SUCCESS)
            },
        }
    }
}
