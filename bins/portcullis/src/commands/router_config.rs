//! `portcullis router-config`.

mod check;
mod environment;
mod explain;
mod finding_renderer;
mod generate;
mod input;
mod panic_filter;
mod rule_set;
mod schema;
mod show;

use crate::error::CliError;
use crate::output::Format;
use clap::Subcommand;

/// Help footer of `router-config`.
pub(crate) const EXAMPLES: &str = "\
These are the files of `ziti router run`, which often ignores mistakes silently or ends with a stack
trace. These commands report them in milliseconds, with the location and a fix. They only read the
given files: no login, no profile, no network.

Examples:
  portcullis router-config check router.yml
  portcullis router-config check --as openziti routers/*.yml
  portcullis router-config show router.yml
  portcullis router-config explain link.listeners
  portcullis router-config generate edge --name r1 --controller ctrl.example.com:6262 --out r1.yml
  portcullis router-config schema > router.schema.json";

/// Subcommands for configuration files of routers.
#[derive(Debug, Subcommand)]
pub(crate) enum RouterConfigCommand {
    /// Report every mistake in files, and whether a router would run with them
    #[command(visible_aliases = ["validate", "lint"])]
    Check(check::CheckArgs),
    /// Show the effective values, including defaults, and their sources
    Show(show::ShowArgs),
    /// Explain a key: meaning, default, bounds and an example
    Explain(explain::ExplainArgs),
    /// Generate a commented file for a new router
    #[command(subcommand, after_long_help = generate::EXAMPLES)]
    Generate(generate::GenerateCommand),
    /// Print the JSON Schema of the file, for completion and hints in editors
    #[command(after_long_help = schema::EXAMPLES)]
    Schema,
}

pub(crate) fn run(output: Format, command: &RouterConfigCommand) -> Result<(), CliError> {
    panic_filter::silence_parser_panics();
    match command {
        RouterConfigCommand::Check(arguments) => check::run(output, arguments),
        RouterConfigCommand::Show(arguments) => show::run(output, arguments),
        RouterConfigCommand::Explain(arguments) => explain::run(output, arguments),
        RouterConfigCommand::Generate(command) => generate::run(command),
        RouterConfigCommand::Schema => schema::run(output),
    }
}
