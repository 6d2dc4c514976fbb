//! The script that lets a shell complete command lines.

use crate::output;
use clap::Args;
use portcullis_command_line::completion::{Shell, script};
use std::process::ExitCode;

/// Arguments of `completion`.
#[derive(Debug, Args)]
pub struct CompletionArgs {
    /// Shell to generate the script for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the script for `program`.
pub(crate) fn print(program: &str, shell: Shell) -> anyhow::Result<ExitCode> {
    let script = script(program, shell)?;
    output::print_line(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
