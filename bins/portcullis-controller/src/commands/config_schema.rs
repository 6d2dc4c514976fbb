//! `config schema`: the JSON Schema of the file.

use crate::output;
use std::process::ExitCode;

pub(super) fn run() -> anyhow::Result<ExitCode> {
    let schema = portcullis_controller_config::schema();
    output::print_line(serde_json::to_string_pretty(&schema)?);
    Ok(ExitCode::SUCCESS)
}
