//! `portcullis router-config show`.

use crate::console::{Console, DocumentFormat};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::finding_renderer::FindingRenderer;
use crate::input::Input;
use crate::rule_set::RuleSet;
use clap::{Args, ValueEnum, ValueHint};
use portcullis_command_line::supports_color;
use portcullis_domain::terminal::escape_json;
use portcullis_router_config::{Finding, LoadedConfig, Severity, Verdict};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
If the file has mistakes, all values that can be understood are shown; the mistakes go to standard
error, and the exit code is 1. Private keys and passwords in the file are omitted.

Examples:
  portcullis router-config show router.yml
  portcullis router-config show --as openziti --format json router.yml
  portcullis router-config show --format json router.yml | jq '.[\"ctrl.endpoint\"]'";

/// Arguments of `router-config show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ShowArgs {
    /// File to show; `-` for standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Rules that define the defaults and bounds
    #[arg(long = "as", value_name = "RULES", value_enum, default_value_t)]
    norm: RuleSet,

    /// Format of the values (default: `yaml`)
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<ShowFormat>,

    /// Read environment variables from a file with `KEY=VALUE` lines instead of the environment
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    env_file: Option<PathBuf>,
}

/// Formats of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// Nested like the file, with the source of each value in a comment
    Yaml,
    /// A JSON object from key paths to values and their sources
    Json,
}

pub(crate) fn run<C: Console>(console: &C, arguments: &ShowArgs) -> Result<(), C::Error> {
    let environment = Environment::load(arguments.env_file.as_ref())?;
    let input = Input::read(&arguments.file);
    let own = |loaded: &LoadedConfig| console.own_findings(loaded);
    let (result, effective) = arguments.norm.load(&input, &environment, &own);
    if !effective.is_empty() {
        match arguments.format(console.format()) {
            ShowFormat::Yaml => console.write(&escape_json(&effective.to_yaml()))?,
            ShowFormat::Json => console.write_json(&effective.to_json())?,
        }
    }
    if result.verdict == Verdict::Accept {
        return Ok(());
    }
    let is_colored = supports_color(&io::stderr());
    let columns = console.stderr_columns();
    let drawing = FindingRenderer::new(&input, console.command(), is_colored, columns);
    let is_error = |finding: &&Finding| finding.diagnostic.severity == Severity::Error;
    let errors = result.findings.iter().filter(is_error);
    let report = drawing.render_findings(errors) + &drawing.render_summary(arguments.norm, &result);
    console.write_stderr(&report);
    Err(Failure::already_reported().into())
}

impl ShowArgs {
    /// Format from `--format`, or else from the global `--output`.
    fn format(&self, output: DocumentFormat) -> ShowFormat {
        self.format.unwrap_or(match output {
            DocumentFormat::Json => ShowFormat::Json,
            DocumentFormat::Text | DocumentFormat::Yaml => ShowFormat::Yaml,
        })
    }
}
