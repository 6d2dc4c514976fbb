//! `config explain`: what a key means.

use crate::cli::ConfigExplainArgs;
use crate::{output, usage};
use portcullis_controller_config::{ControllerFile, explain};
use portcullis_key_table::{Explanation, PathError, sections, text};
use portcullis_program::OutputFormat;
use std::process::ExitCode;

pub(super) fn run(arguments: &ConfigExplainArgs) -> anyhow::Result<ExitCode> {
    let found = match arguments.path.as_deref() {
        None => sections::<ControllerFile>(),
        Some(path) => explain(path).map_err(|error| unknown_key(path, &error))?,
    };
    match (arguments.output, &arguments.path) {
        (OutputFormat::Json, _) => {
            let records: Vec<_> = found.iter().map(Explanation::to_json).collect();
            output::print_line(serde_json::to_string_pretty(&records)?);
        },
        (OutputFormat::Text, None) => output::print_line(text::list(&found).trim_end()),
        (OutputFormat::Text, Some(_)) => output::print_line(text::details(&found).trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Error for an unknown path, with suggestions.
fn unknown_key(path: &str, error: &PathError) -> anyhow::Error {
    let suggestion = text::suggest_paths::<ControllerFile>(path);
    let suggestion = suggestion
        .map(|text| format!("; {text}"))
        .unwrap_or_default();
    usage::error(format!(
        "{error}{suggestion} (`portcullis-controller config explain` lists the sections)"
    ))
}
