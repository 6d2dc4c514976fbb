//! Command line of the program.

mod enroll;
mod groups;
mod host;
mod join;
mod program;
mod proxy;
mod run;

pub(crate) use enroll::EnrollArgs;
pub(crate) use host::HostArgs;
pub(crate) use join::JoinArgs;
pub(crate) use program::PROGRAM;
pub(crate) use proxy::ProxyArgs;
pub(crate) use run::RunArgs;

use clap::{CommandFactory as _, Parser, Subcommand};
use groups::GROUPS;
use portcullis_command_line::arrange;
use portcullis_program::completion::CompletionArgs;
use portcullis_program::man::ManArgs;

const EXAMPLES: &str = "\
Examples:
  portcullis-tunnel enroll laptop.jwt                   writes laptop.json
  portcullis-tunnel proxy --identity laptop.json wiki:8080
  portcullis-tunnel host --identity server.json
  portcullis-tunnel run --identity laptop.json          takes CAP_NET_ADMIN

Use `portcullis-tunnel COMMAND --help` for the options and examples of a
command.";

/// What only the long help says, below the examples.
const DETAILS: &str = "\
Exit codes:
  0  success
  1  the command failed
  2  invalid arguments

Results go to standard output, the log and errors to standard error.

Environment:
  PORTCULLIS_LOG               what to log, like --log
  PORTCULLIS_TUNNEL_IDENTITY   identity file, like --identity";

/// Tunneler of a zero-trust overlay network, compatible with OpenZiti: servers are offered, and services are
/// reached, by programs that know nothing of the network
#[derive(Debug, Parser)]
#[command(
    name = PROGRAM,
    version,
    after_help = EXAMPLES,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// What to log to stderr: a level, or levels by component such as `warn,portcullis_tunnel=debug`
    /// [default: info]
    #[arg(long, value_name = "FILTER", env = "PORTCULLIS_LOG", global = true)]
    log: Option<String>,

    /// The same as `--log debug`
    #[arg(short, long, global = true)]
    verbose: bool,

    /// Allow core dumps, and debuggers run by the same user; both can expose secrets
    #[arg(long, global = true)]
    pub(crate) allow_core_dumps: bool,

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
    /// Generate a shell completion script
    #[command(after_long_help = program::COMPLETION_EXAMPLES)]
    Completion(CompletionArgs),
    /// Write man pages
    #[command(after_long_help = program::MAN_EXAMPLES)]
    Man(ManArgs),
    /// Show the version
    #[command(after_long_help = program::VERSION_EXAMPLES)]
    Version,
}

impl Cli {
    /// Filter of the log.
    pub(crate) fn log(&self) -> Option<&str> {
        let verbose = self.verbose.then_some("debug");
        self.log.as_deref().or(verbose)
    }
}

impl Command {
    /// Whether it serves until it is ended.
    pub(crate) const fn is_service(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Proxy(_) | Self::Host(_))
    }
}

/// The whole command line, its help arranged.
pub(crate) fn command() -> clap::Command {
    arrange(Cli::command(), GROUPS).after_long_help(format!("{EXAMPLES}\n\n{DETAILS}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_declared_without_contradictions() {
        command().debug_assert();
    }

    #[test]
    fn commands_have_examples() {
        for command in command().get_subcommands() {
            let text = command.get_after_long_help();
            let text = text.map(ToString::to_string).unwrap_or_default();
            assert!(text.contains("Examples:"), "{}", command.get_name());
        }
    }
}
