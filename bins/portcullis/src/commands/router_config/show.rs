//! `portcullis router-config show`.

use crate::commands::router_config::drawing::Drawing;
use crate::commands::router_config::environment::Environment;
use crate::commands::router_config::input::Input;
use crate::commands::router_config::judged::Norm;
use crate::error::CliError;
use crate::output::{self, Format, Output};
use clap::{Args, ValueEnum, ValueHint};
use portcullis_router_config::{Finding, Severity, Verdict};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Values of a file with mistakes are shown as far as they can be understood; the mistakes go to
the standard error, and the exit code is 1. Private keys and passwords in the file are left out.

Examples:
  portcullis router-config show router.yml
  portcullis router-config show --as openziti --format json router.yml
  portcullis router-config show --format json router.yml | jq '.[\"ctrl.endpoint\"]'";

/// Arguments of `router-config show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// File to show; `-` is the standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Whose defaults and bounds to use
    #[arg(long = "as", value_name = "NORM", value_enum, default_value_t)]
    norm: Norm,

    /// Format of the values; `yaml` if left out
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<ShowFormat>,

    /// File of `KEY=VALUE` lines to take environment variables from, instead of the environment
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    env_file: Option<PathBuf>,
}

/// In which form values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// Nested like the file, the source of each value in a comment
    Yaml,
    /// One JSON object: the path of each key with its value and source
    Json,
}

pub(super) fn run(output: Format, arguments: &ShowArgs) -> Result<(), CliError> {
    let environment = Environment::of(arguments.env_file.as_ref())?;
    let input = Input::read(&arguments.file);
    let (judged, effective) = arguments.norm.load(&input, &environment);
    if !effective.is_empty() {
        match arguments.format(output) {
            ShowFormat::Yaml => output::write(&output::printable_json(&effective.to_yaml()))?,
            ShowFormat::Json => Output::new(Format::Json).document(&effective.to_json())?,
        }
    }
    if judged.verdict == Verdict::Accept {
        return Ok(());
    }
    let drawing = Drawing::of(&input, output::is_coloured(&io::stderr()));
    let is_error = |finding: &&Finding| finding.diagnostic.severity == Severity::Error;
    let errors = judged.findings.iter().filter(is_error);
    let told = drawing.findings(errors) + &drawing.summary(arguments.norm, &judged);
    output::tell(&told);
    Err(CliError::told())
}

impl ShowArgs {
    /// The form that is asked for, here or for all commands.
    fn format(&self, output: Format) -> ShowFormat {
        self.format.unwrap_or(match output {
            Format::Json => ShowFormat::Json,
            Format::Table | Format::Yaml => ShowFormat::Yaml,
        })
    }
}
