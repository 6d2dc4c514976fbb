//! Command line of the program.

mod enroll;
mod groups;
mod order;
mod run;

pub(crate) use enroll::EnrollArgs;
pub(crate) use order::{DecommissionArgs, OrderArgs};
pub(crate) use run::RunArgs;

use clap::{Args, CommandFactory as _, Parser, Subcommand};
use groups::GROUPS;
use portcullis_command_line::CommandGroup;
use portcullis_program::{AboutCommand, CommandLine, OutputFormat, ProcessArgs};
use portcullis_router_config_commands::{self as router_config, RouterConfigCommand};

/// Router of a zero-trust overlay network, compatible with OpenZiti
#[derive(Debug, Parser)]
#[command(name = Self::NAME, version)]
pub(crate) struct Cli {
    #[command(flatten)]
    process: ProcessArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Get the certificates of a router with a token of its controller
    Enroll(EnrollArgs),
    /// Run the router of a configuration file
    Run(RunArgs),
    /// Let no new clients come to what is hosted at a router that runs
    #[command(after_long_help = order::QUIESCE_EXAMPLES)]
    Quiesce(OrderArgs),
    /// Let clients come again to what is hosted at a router that runs
    #[command(after_long_help = order::DEQUIESCE_EXAMPLES)]
    Dequiesce(OrderArgs),
    /// Get new certificates for a router that runs
    #[command(after_long_help = order::RENEW_EXAMPLES)]
    Renew(OrderArgs),
    /// Delete a router that runs from its network, and stop it
    #[command(after_long_help = order::DECOMMISSION_EXAMPLES)]
    Decommission(DecommissionArgs),
    /// Check, show, explain and generate configuration files
    #[command(after_long_help = router_config::EXAMPLES)]
    Config(ConfigArgs),
    #[command(flatten)]
    About(AboutCommand),
}

/// Arguments of `config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Format of results
    #[arg(
        short,
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    pub(crate) output: OutputFormat,

    #[command(subcommand)]
    pub(crate) command: RouterConfigCommand,
}

impl CommandLine for Cli {
    const NAME: &'static str = "portcullis-router";

    const GROUPS: &'static [CommandGroup] = GROUPS;

    const LOG_HELP: &'static str = "What to log to stderr: a level, or levels by component such as \
                                    `warn,portcullis_router_io=debug` [default: info]";

    const EXAMPLES: &'static str = "\
Examples:
  portcullis-router config generate edge --name r1 --host r1.example.com \\
      --controller ctrl.example.com:6262 --out r1.yml
  portcullis-router enroll r1.yml --jwt r1.jwt
  portcullis-router run r1.yml
  portcullis-router config check r1.yml              every mistake in it
  portcullis-router config explain link.listeners

Use `portcullis-router COMMAND --help` for the subcommands, options and
examples of a command.";

    const DETAILS: &'static str = "\
Exit codes:
  0  success
  1  the command or a check failed
  2  invalid arguments

Results go to standard output, the log and errors to standard error.

Environment:
  PORTCULLIS_LOG                   what to log, like --log
  PORTCULLIS_ROUTER_BUFFER_MEMORY  memory that messages may wait in, like
                                   --buffer-memory of `run`";

    fn declaration() -> clap::Command {
        Self::command().mut_subcommand("config", |config| {
            router_config::rename(router_config::without_tunnel(config), CONFIG)
        })
    }

    fn process(&self) -> &ProcessArgs {
        &self.process
    }

    fn is_service(&self) -> bool {
        matches!(self.command, Command::Run(_))
    }
}

/// The words before the commands about files.
pub(crate) const CONFIG: &str = "portcullis-router config";

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_program::command;

    #[test]
    fn arguments_are_declared_without_contradictions() {
        command::<Cli>().debug_assert();
    }

    #[test]
    fn help_names_this_program() {
        let mut commands = vec![command::<Cli>()];
        while let Some(command) = commands.pop() {
            let text = command.get_after_long_help();
            let text = text.map(ToString::to_string).unwrap_or_default();
            assert!(!text.contains("portcullis router-config"), "{text}");
            commands.extend(command.get_subcommands().cloned());
        }
    }
}
