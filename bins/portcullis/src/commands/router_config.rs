//! `portcullis router-config`: configuration files of routers, without a controller or a profile.

mod check;
mod drawing;
mod environment;
mod explain;
mod generate;
mod input;
mod judged;
mod parser;
mod schema;
mod show;

use crate::error::CliError;
use crate::output::Format;
use clap::Subcommand;

/// Shown below the help of `router-config`.
pub(crate) const EXAMPLES: &str = "\
The files are those of `ziti router run`, where a mistake is often silently ignored,
or ends the router with a stack trace; here it is found in milliseconds, with its place and a fix.
Only the named files are read: no login, no profile, no network.

Examples:
  portcullis router-config check router.yml
  portcullis router-config check --as openziti routers/*.yml
  portcullis router-config show router.yml
  portcullis router-config explain link.listeners
  portcullis router-config generate edge --name r1 --controller ctrl.example.com:6262 --out r1.yml
  portcullis router-config schema > router.schema.json";

/// What to do with configuration files of routers.
#[derive(Debug, Subcommand)]
pub(crate) enum RouterConfigCommand {
    /// Find every mistake in files, and say whether a router would run with them
    #[command(visible_aliases = ["validate", "lint"])]
    Check(check::CheckArgs),
    /// Show the effective values, with defaults, and where each comes from
    Show(show::ShowArgs),
    /// Explain a key: its meaning, default, bounds and an example
    Explain(explain::ExplainArgs),
    /// Write a commented file for a new router
    #[command(subcommand, after_long_help = generate::EXAMPLES)]
    Generate(generate::GenerateCommand),
    /// Print the JSON Schema of the file, for completion and hints in editors
    #[command(after_long_help = schema::EXAMPLES)]
    Schema,
}

pub(crate) fn run(output: Format, command: &RouterConfigCommand) -> Result<(), CliError> {
    parser::hush();
    match command {
        RouterConfigCommand::Check(arguments) => check::run(output, arguments),
        RouterConfigCommand::Show(arguments) => show::run(output, arguments),
        RouterConfigCommand::Explain(arguments) => explain::run(output, arguments),
        RouterConfigCommand::Generate(command) => generate::run(command),
        RouterConfigCommand::Schema => schema::run(output),
    }
}
