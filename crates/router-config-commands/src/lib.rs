//! The commands about the files of routers: check, show, explain, generate and schema, for the programs that
//! have them.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `failure`, `console`, `environment`, `input`,
//! `rule_set`, `finding_renderer`, the commands.

mod check;
mod console;
mod environment;
mod explain;
mod failure;
mod finding_renderer;
mod generate;
mod input;
mod rule_set;
mod schema;
mod show;

use clap::Subcommand;

pub use check::CheckArgs;
pub use console::{Console, DocumentFormat};
pub use explain::ExplainArgs;
pub use failure::{Failure, FailureKind};
pub use finding_renderer::FindingRenderer;
pub use generate::{EdgeArgs, GenerateCommand, RouterArgs};
pub use input::Input;
pub use rule_set::{CheckResult, RuleSet};
pub use show::ShowArgs;

/// The commands as `portcullis` has them; the help of other programs is made from it.
const COMMAND: &str = "portcullis router-config";

/// Help footer of the commands together.
pub const EXAMPLES: &str = "\
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
pub enum RouterConfigCommand {
    /// Report every mistake in files, and whether a router would run with them
    #[command(visible_aliases = ["validate", "lint"])]
    Check(CheckArgs),
    /// Show the effective values, including defaults, and their sources
    Show(ShowArgs),
    /// Explain a key: meaning, default, bounds and an example
    Explain(ExplainArgs),
    /// Generate a commented file for a new router
    #[command(subcommand, after_long_help = generate::EXAMPLES)]
    Generate(GenerateCommand),
    /// Print the JSON Schema of the file, for completion and hints in editors
    #[command(after_long_help = schema::EXAMPLES)]
    Schema,
}

/// Runs a command.
pub fn run<C: Console>(console: &C, command: &RouterConfigCommand) -> Result<(), C::Error> {
    match command {
        RouterConfigCommand::Check(arguments) => check::run(console, arguments),
        RouterConfigCommand::Show(arguments) => show::run(console, arguments),
        RouterConfigCommand::Explain(arguments) => explain::run(console, arguments),
        RouterConfigCommand::Generate(command) => generate::run(console, command),
        RouterConfigCommand::Schema => schema::run(console),
    }
}

/// Has `generate` write files without a tunneler unless one is asked for.
pub fn without_tunnel(command: clap::Command) -> clap::Command {
    command.mut_subcommand("generate", generate::without_tunnel)
}

/// Has the help of a command and those below it name another program.
pub fn rename(command: clap::Command, name: &str) -> clap::Command {
    let help = command.get_after_long_help().map(ToString::to_string);
    let command = match help {
        Some(help) => command.after_long_help(help.replace(COMMAND, name)),
        None => command,
    };
    command.mut_subcommands(|below| rename(below, name))
}
