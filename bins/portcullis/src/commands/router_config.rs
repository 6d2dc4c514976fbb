//! `portcullis router-config`.

use crate::error::{CliError, ErrorKind};
use crate::files::{self, Existing};
use crate::output::{self, Format, Output};
use crate::{panic_filter, terminal};
use portcullis_router_config_commands::{
    self as commands, Console, DocumentFormat, Failure, FailureKind, RouterConfigCommand,
};
use serde_json::Value;
use std::path::Path;

pub(crate) fn run(output: Format, command: &RouterConfigCommand) -> Result<(), CliError> {
    panic_filter::silence_parser_panics();
    commands::run(&Output::new(output), command)
}

impl Console for Output {
    type Error = CliError;

    fn command(&self) -> &'static str {
        "portcullis router-config"
    }

    fn format(&self) -> DocumentFormat {
        match Self::format(*self) {
            Format::Table | Format::Wide | Format::Name => DocumentFormat::Text,
            Format::Json => DocumentFormat::Json,
            Format::Yaml => DocumentFormat::Yaml,
        }
    }

    fn stdout_columns(&self) -> Option<usize> {
        terminal::stdout_width()
    }

    fn stderr_columns(&self) -> Option<usize> {
        terminal::stderr_width()
    }

    fn write(&self, text: &str) -> Result<(), CliError> {
        output::write(text)
    }

    fn is_closed(error: &CliError) -> bool {
        error.kind() == ErrorKind::BrokenPipe
    }

    fn write_document(&self, document: &Value) -> Result<(), CliError> {
        Self::write_document(*self, document)
    }

    fn write_json(&self, document: &Value) -> Result<(), CliError> {
        Self::new(Format::Json).write_document(document)
    }

    fn write_stderr(&self, text: &str) {
        output::write_stderr(text);
    }

    fn write_file(&self, path: &Path, replace: bool, text: &str) -> Result<(), CliError> {
        files::write_readable(path, Existing::with_force(replace), text.as_bytes())?;
        output::note(&format!("Wrote {}.", path.display()));
        Ok(())
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        let error = match failure.kind {
            FailureKind::Usage => Self::usage(failure.message),
            FailureKind::AlreadyReported => Self::already_reported(),
        };
        failure.hints.into_iter().fold(error, Self::hint)
    }
}
