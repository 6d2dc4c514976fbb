//! `portcullis router-config check`.

use crate::commands::router_config::environment::Environment;
use crate::commands::router_config::finding_renderer::FindingRenderer;
use crate::commands::router_config::input::{Input, repeats_stdin};
use crate::commands::router_config::rule_set::{CheckResult, RuleSet};
use crate::error::{CliError, ErrorKind};
use crate::output::{self, Format};
use crate::terminal;
use clap::{Args, ValueEnum, ValueHint};
use portcullis_command_line::supports_color;
use portcullis_router_config::{CheckOptions, Verdict, report_json};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
All mistakes of a file are found in one pass. `--as openziti` predicts what `ziti router run` of
OpenZiti 2.1 would do: it ignores unknown keys, refuses some mistakes and crashes on others, on
some of them only once it is connected to a controller. Certificate files are assumed to be valid.

Examples:
  portcullis router-config check router.yml
  portcullis router-config check --as openziti routers/*.yml
  portcullis router-config check --env-file router.env router.yml
  render-template | portcullis router-config check -
  portcullis router-config check --format json *.yml | jq -r 'select(.verdict != \"accept\").file'

With `--format json` there is one object per file, one per line, in the order of the arguments:

  {\"file\":\"router.yml\",\"verdict\":\"refuse\",\"findings\":[{\"line\":12,...}]}

Each finding has severity, path, line, column, code, message, help, span (bytes) and reference, and
by OpenZiti verdict and stage. Codes stay the same; docs/router-config.md lists them.

Exit codes:
  0  all files are accepted
  1  a file is refused, crashes the router, or cannot be read; the others are still checked
  2  the arguments or the file of `--env-file` are invalid";

/// Arguments of `router-config check`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Files to check; `-` for standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Rules to check the files by
    #[arg(long = "as", value_name = "RULES", value_enum, default_value_t)]
    norm: RuleSet,

    /// Only warn about unknown keys, which OpenZiti always ignores
    #[arg(long)]
    allow_unknown: bool,

    /// Format of the findings (default: `human`)
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<CheckFormat>,

    /// Read environment variables from a file with `KEY=VALUE` lines instead of the environment
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    env_file: Option<PathBuf>,
}

/// Formats of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Excerpts and a summary line for each file
    Human,
    /// One JSON object per file, one per line
    Json,
}

pub(super) fn run(output: Format, arguments: &CheckArgs) -> Result<(), CliError> {
    let format = arguments.format(output)?;
    if repeats_stdin(&arguments.files) {
        return Err(CliError::usage("standard input can only be given once"));
    }
    let environment = Environment::load(arguments.env_file.as_ref())?;
    let options = CheckOptions::new().allow_unknown(arguments.allow_unknown);
    let mut is_read = true;
    let mut is_accepted = true;
    for path in &arguments.files {
        let input = Input::read(path);
        let result = arguments.norm.check(&input, options, &environment);
        is_accepted &= result.verdict == Verdict::Accept;
        if is_read {
            is_read = write(&arguments.report(format, &input, &result))?;
        }
    }
    if is_accepted {
        Ok(())
    } else {
        Err(CliError::already_reported())
    }
}

/// Writes a report; `false` if the reader closed the output. Checking goes on for the exit code.
fn write(report: &str) -> Result<bool, CliError> {
    match output::write(report) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

impl CheckArgs {
    /// Format from `--format`, or else from the global `--output`.
    fn format(&self, output: Format) -> Result<CheckFormat, CliError> {
        match (self.format, output) {
            (Some(format), _) => Ok(format),
            (None, Format::Table | Format::Wide | Format::Name) => Ok(CheckFormat::Human),
            (None, Format::Json) => Ok(CheckFormat::Json),
            (None, Format::Yaml) => Err(CliError::usage(
                "findings cannot be written as YAML: choose `--format human` or `--format json`",
            )),
        }
    }

    fn report(&self, format: CheckFormat, input: &Input, judged: &CheckResult) -> String {
        match format {
            CheckFormat::Json => {
                let object = report_json(&input.name, judged.verdict, &judged.findings);
                output::json_for_stdout(&format!("{object}\n")).into_owned()
            },
            CheckFormat::Human => {
                let is_colored = supports_color(&io::stdout());
                let drawing = FindingRenderer::new(input, is_colored, terminal::stdout_width());
                let mut report = drawing.render_findings(&judged.findings);
                report.push_str(&drawing.render_summary(self.norm, judged));
                report
            },
        }
    }
}
