//! `completion`: the script that lets a shell complete command lines.

use crate::cli::{CompletionArgs, PROGRAM};
use crate::output;
use portcullis_command_line::completion::script;
use std::process::ExitCode;

pub(super) fn run(arguments: &CompletionArgs) -> anyhow::Result<ExitCode> {
    let script = script(PROGRAM, arguments.shell)?;
    output::print_line(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
