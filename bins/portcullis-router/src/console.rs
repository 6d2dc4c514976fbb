//! The terminal of the commands about configuration files.

use crate::cli::CONFIG;
use anyhow::{Context as _, anyhow};
use portcullis_domain::terminal::escape_json;
use portcullis_files::PUBLIC_MODE;
use portcullis_program::{OutputFormat, output, usage};
use portcullis_router_config::{Finding, LoadedConfig};
use portcullis_router_config_commands::{Console, DocumentFormat, Failure, FailureKind};
use serde_json::Value;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Shows results of `config` in a format.
#[derive(Debug)]
pub(crate) struct ConfigConsole {
    format: OutputFormat,
}

/// Why a command of `config` ends without success.
pub(crate) enum ConfigError {
    /// What was printed says it.
    AlreadyReported,
    /// Nobody reads the output any more.
    Closed,
    Failed(anyhow::Error),
}

impl ConfigConsole {
    pub(crate) const fn new(format: OutputFormat) -> Self {
        Self { format }
    }

    pub(crate) fn exit_code(outcome: Result<(), ConfigError>) -> anyhow::Result<ExitCode> {
        match outcome {
            Ok(()) | Err(ConfigError::Closed) => Ok(ExitCode::SUCCESS),
            Err(ConfigError::AlreadyReported) => Ok(ExitCode::FAILURE),
            Err(ConfigError::Failed(error)) => Err(error),
        }
    }
}

impl Console for ConfigConsole {
    type Error = ConfigError;

    fn command(&self) -> &'static str {
        CONFIG
    }

    fn format(&self) -> DocumentFormat {
        match self.format {
            OutputFormat::Text => DocumentFormat::Text,
            OutputFormat::Json => DocumentFormat::Json,
        }
    }

    fn stdout_columns(&self) -> Option<usize> {
        output::columns(&io::stdout())
    }

    fn stderr_columns(&self) -> Option<usize> {
        output::columns(&io::stderr())
    }

    fn own_findings(&self, loaded: &LoadedConfig) -> Vec<Finding> {
        portcullis_router::own_findings(loaded)
    }

    fn write(&self, text: &str) -> Result<(), ConfigError> {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => ConfigError::Closed,
            _ => ConfigError::Failed(anyhow!(error).context("the output cannot be written")),
        })
    }

    fn is_closed(error: &ConfigError) -> bool {
        matches!(error, ConfigError::Closed)
    }

    fn write_document(&self, document: &Value) -> Result<(), ConfigError> {
        self.write_json(document)
    }

    fn write_json(&self, document: &Value) -> Result<(), ConfigError> {
        let text = format!("{document:#}\n");
        if io::stdout().is_terminal() {
            self.write(&escape_json(&text))
        } else {
            self.write(&text)
        }
    }

    fn write_stderr(&self, text: &str) {
        // Failing to write a message must not fail the command.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    fn write_file(&self, path: &Path, replace: bool, text: &str) -> Result<(), ConfigError> {
        let written = if replace {
            portcullis_files::replace(path, text.as_bytes(), PUBLIC_MODE)
        } else if path.exists() {
            let path = path.display();
            return Err(ConfigError::Failed(anyhow!(
                "{path} already exists; choose another file, or overwrite it with `--force`"
            )));
        } else {
            portcullis_files::create(path, text.as_bytes(), PUBLIC_MODE)
        };
        written
            .context("the configuration cannot be generated")
            .map_err(ConfigError::Failed)?;
        output::print_message(format_args!("Wrote {}.", path.display()));
        Ok(())
    }
}

impl From<Failure> for ConfigError {
    fn from(failure: Failure) -> Self {
        match failure.kind {
            FailureKind::AlreadyReported => Self::AlreadyReported,
            FailureKind::Usage => {
                let parts = std::iter::once(failure.message).chain(failure.hints);
                Self::Failed(usage::error(parts.collect::<Vec<_>>().join("; ")))
            },
        }
    }
}
