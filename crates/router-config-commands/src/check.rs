//! `portcullis router-config check`.

use crate::console::{Console, DocumentFormat};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::finding_renderer::FindingRenderer;
use crate::input::{Input, repeats_stdin};
use crate::rule_set::{CheckResult, RuleSet};
use clap::{Args, ValueEnum, ValueHint};
use portcullis_command_line::supports_color;
use portcullis_domain::terminal::escape_json;
use portcullis_router_config::{CheckOptions, LoadedConfig, Verdict, report_json};
use std::io::{self, IsTerminal as _};
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
pub struct CheckArgs {
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

pub(crate) fn run<C: Console>(console: &C, arguments: &CheckArgs) -> Result<(), C::Error> {
    let format = arguments.format(console.format())?;
    if repeats_stdin(&arguments.files) {
        return Err(Failure::usage("standard input can only be given once").into());
    }
    let environment = Environment::load(arguments.env_file.as_ref())?;
    let options = CheckOptions::new().allow_unknown(arguments.allow_unknown);
    let mut is_read = true;
    let mut is_accepted = true;
    for path in &arguments.files {
        let input = Input::read(path);
        let own = |loaded: &LoadedConfig| console.own_findings(loaded);
        let result = (arguments.norm).check(&input, options, &environment, &own);
        is_accepted &= result.verdict == Verdict::Accept;
        if is_read {
            is_read = write(console, &arguments.report(console, format, &input, &result))?;
        }
    }
    if is_accepted {
        Ok(())
    } else {
        Err(Failure::already_reported().into())
    }
}

/// Writes a report; `false` if the reader closed the output. Checking goes on for the exit code.
fn write<C: Console>(console: &C, report: &str) -> Result<bool, C::Error> {
    match console.write(report) {
        Err(error) if C::is_closed(&error) => Ok(false),
        written => written.map(|()| true),
    }
}

impl CheckArgs {
    /// Format from `--format`, or else from the global `--output`.
    fn format(&self, output: DocumentFormat) -> Result<CheckFormat, Failure> {
        match (self.format, output) {
            (Some(format), _) => Ok(format),
            (None, DocumentFormat::Text) => Ok(CheckFormat::Human),
            (None, DocumentFormat::Json) => Ok(CheckFormat::Json),
            (None, DocumentFormat::Yaml) => Err(Failure::usage(
                "findings cannot be written as YAML: choose `--format human` or `--format json`",
            )),
        }
    }

    fn report(
        &self,
        console: &impl Console,
        format: CheckFormat,
        input: &Input,
        judged: &CheckResult,
    ) -> String {
        match format {
            CheckFormat::Json => {
                let object = report_json(&input.name, judged.verdict, &judged.findings);
                json_for_stdout(&format!("{object}\n"))
            },
            CheckFormat::Human => {
                let is_colored = supports_color(&io::stdout());
                let drawing = FindingRenderer::new(
                    input,
                    console.command(),
                    is_colored,
                    console.stdout_columns(),
                );
                let mut report = drawing.render_findings(&judged.findings);
                report.push_str(&drawing.render_summary(self.norm, judged));
                report
            },
        }
    }
}

/// JSON text, with control characters escaped on a terminal.
fn json_for_stdout(text: &str) -> String {
    if io::stdout().is_terminal() {
        escape_json(text)
    } else {
        text.to_owned()
    }
}
