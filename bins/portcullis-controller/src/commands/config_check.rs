//! `config check`: every mistake of configuration files.

use crate::cli::{Check, Format};
use crate::config::{self, Reading};
use crate::diagnostics::{self, Record};
use crate::output;
use portcullis_yaml::Severity;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

pub(super) fn run(arguments: &Check) -> anyhow::Result<ExitCode> {
    let mut readings = Vec::new();
    for file in &arguments.files {
        let reading = config::read(&[file]);
        readings.push(reading.unwrap_or_else(|error| Reading::unreadable(file, &error)));
    }
    match arguments.format {
        Format::Human => readings.iter().for_each(show),
        Format::Json => {
            let records: Vec<_> = readings.iter().flat_map(records).collect();
            output::say(serde_json::to_string_pretty(&records)?);
        },
    }
    let is_usable = readings
        .iter()
        .all(|reading| reading.outcome.config.is_some());
    Ok(if is_usable {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn records(reading: &Reading) -> impl Iterator<Item = Record<'_>> {
    reading
        .outcome
        .diagnostics
        .iter()
        .map(|each| Record::of(each, &reading.sources))
}

fn show(reading: &Reading) {
    let found = &reading.outcome.diagnostics;
    for diagnostic in found {
        let is_styled = io::stdout().is_terminal();
        output::say(diagnostics::human(diagnostic, &reading.sources, is_styled));
    }
    let count = |severity| {
        found
            .iter()
            .filter(|each| each.severity == severity)
            .count()
    };
    output::say(format_args!(
        "{}: {}, {}",
        reading.sources.name(portcullis_yaml::SourceId(0)),
        counted(count(Severity::Error), "mistake"),
        counted(count(Severity::Warning), "warning"),
    ));
}

fn counted(number: usize, word: &str) -> String {
    match number {
        0 => format!("no {word}s"),
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}
