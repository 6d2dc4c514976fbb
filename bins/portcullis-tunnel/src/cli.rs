//! Command line of the program.

mod enroll;
mod groups;
mod host;
mod join;
mod proxy;
mod run;

pub(crate) use enroll::EnrollArgs;
pub(crate) use host::HostArgs;
pub(crate) use join::JoinArgs;
pub(crate) use proxy::ProxyArgs;
pub(crate) use run::RunArgs;

use clap::{Parser, Subcommand};
use groups::GROUPS;
use portcullis_command_line::CommandGroup;
use portcullis_program::{AboutCommand, CommandLine, ProcessArgs};

/// Tunneler of a zero-trust overlay network, compatible with OpenZiti: servers are offered, and services are
/// reached, by programs that know nothing of the network
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
    /// Get an identity file with a token of a controller
    Enroll(EnrollArgs),
    /// Intercept connections as services say, and offer servers
    Run(RunArgs),
    /// Open ports of this computer that stand for services, and offer servers
    Proxy(ProxyArgs),
    /// Offer servers to the network, as services say
    Host(HostArgs),
    #[command(flatten)]
    About(AboutCommand),
}

impl CommandLine for Cli {
    const NAME: &'static str = "portcullis-tunnel";

    const GROUPS: &'static [CommandGroup] = GROUPS;

    const LOG_HELP: &'static str = "What to log to stderr: a level, or levels by component such as \
                                    `warn,portcullis_tunnel=debug` [default: info]";

    const EXAMPLES: &'static str = "\
Examples:
  portcullis-tunnel enroll laptop.jwt                   writes laptop.json
  portcullis-tunnel proxy --identity laptop.json wiki:8080
  portcullis-tunnel host --identity server.json
  portcullis-tunnel run --identity laptop.json          takes CAP_NET_ADMIN

Use `portcullis-tunnel COMMAND --help` for the options and examples of a
command.";

    const DETAILS: &'static str = "\
Exit codes:
  0  success
  1  the command failed
  2  invalid arguments

Results go to standard output, the log and errors to standard error.

Environment:
  PORTCULLIS_LOG               what to log, like --log
  PORTCULLIS_TUNNEL_IDENTITY   identity file, like --identity";

    fn process(&self) -> &ProcessArgs {
        &self.process
    }

    fn is_service(&self) -> bool {
        matches!(
            self.command,
            Command::Run(_) | Command::Proxy(_) | Command::Host(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_program::command;

    #[test]
    fn arguments_are_declared_without_contradictions() {
        command::<Cli>().debug_assert();
    }

    #[test]
    fn commands_have_examples_that_fit_small_terminals() {
        for command in command::<Cli>().get_subcommands() {
            let text = command.get_after_long_help();
            let text = text.map(ToString::to_string).unwrap_or_default();
            assert!(text.contains("Examples:"), "{}", command.get_name());
            for line in text.lines().filter(|line| line.starts_with(' ')) {
                let width = line.chars().count();
                assert!(width <= 80, "{}: {line}", command.get_name());
            }
        }
    }
}
