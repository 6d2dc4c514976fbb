//! `config check`: all mistakes in configuration files.

use crate::cli::ConfigCheckArgs;
use crate::config::{self, CheckedFiles};
use crate::diagnostics::{self, DiagnosticRecord, Style};
use crate::output::{self, counted};
use portcullis_program::OutputFormat;
use portcullis_yaml::Severity;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

pub(super) fn run(arguments: &ConfigCheckArgs) -> anyhow::Result<ExitCode> {
    let env = portcullis_system::env();
    let check = |file: &PathBuf| {
        let reading = config::read(&arguments.overlays.over(file));
        let mut checked = reading.unwrap_or_else(|error| CheckedFiles::unreadable(file, &error));
        checked.judge(&env);
        checked
    };
    let results: Vec<_> = arguments.files.iter().map(check).collect();
    match arguments.output {
        OutputFormat::Text => results.iter().for_each(print_findings),
        OutputFormat::Json => {
            let records: Vec<_> = results.iter().flat_map(records).collect();
            output::print_line(serde_json::to_string_pretty(&records)?);
        },
    }
    Ok(if results.iter().any(CheckedFiles::has_errors) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn records(reading: &CheckedFiles) -> impl Iterator<Item = DiagnosticRecord<'_>> {
    reading
        .outcome
        .diagnostics
        .iter()
        .map(|each| DiagnosticRecord::new(each, &reading.sources))
}

fn print_findings(reading: &CheckedFiles) {
    let found = &reading.outcome.diagnostics;
    let style = Style::of(&io::stdout());
    for diagnostic in found {
        output::print_line(diagnostics::render(diagnostic, &reading.sources, style));
    }
    let count = |severity| {
        found
            .iter()
            .filter(|each| each.severity == severity)
            .count()
    };
    output::print_message(format_args!(
        "{}: {}, {}",
        reading.sources.names().join(" with "),
        counted(count(Severity::Error), "mistake"),
        counted(count(Severity::Warning), "warning"),
    ));
}
