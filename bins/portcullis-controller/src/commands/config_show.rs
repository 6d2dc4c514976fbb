//! `config show`: what counts, and where it comes from.

use crate::cli::{ConfigShowArgs, ValuesFormat};
use crate::diagnostics::{self, Style};
use crate::{config, output};
use portcullis_controller_config::effective;
use portcullis_domain::terminal::escape_json;
use portcullis_key_table::EffectiveConfig;
use portcullis_yaml::Severity;
use std::io;
use std::process::ExitCode;

pub(super) fn run(arguments: &ConfigShowArgs) -> anyhow::Result<ExitCode> {
    let (sources, unreadable) = config::read_sources(&arguments.overlays.over(&arguments.config))?;
    let (values, found) = if unreadable.is_empty() {
        let outcome = effective(&sources.texts(), &config::environment_variable);
        (
            outcome.effective.with_files(sources.names()),
            outcome.diagnostics,
        )
    } else {
        (EffectiveConfig::default(), unreadable)
    };
    if !values.is_empty() {
        let text = match arguments.output {
            ValuesFormat::Yaml => values.to_yaml(),
            ValuesFormat::Json => serde_json::to_string_pretty(&values.to_json())?,
        };
        output::print_line(escape_json(text.trim_end()));
    }
    let errors = found.iter().filter(|one| one.severity == Severity::Error);
    let style = Style::of(&io::stderr());
    for error in errors.clone() {
        output::eprint_line(diagnostics::render(error, &sources, style));
    }
    Ok(if errors.count() == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
