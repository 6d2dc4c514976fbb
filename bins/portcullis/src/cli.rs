//! Command-line arguments.

mod groups;
mod management;

pub(crate) use management::ManagementCommand;

use crate::commands::{
    completion::CompletionArgs,
    enroll::EnrollArgs,
    login::LoginArgs,
    logout,
    man::ManArgs,
    profile::{self, ProfileCommand},
    renew::RenewArgs,
    version::VersionArgs,
    whoami::WhoamiArgs,
};
use crate::context::GlobalArgs;
use clap::{CommandFactory as _, Parser, Subcommand};
use groups::GROUPS;
use portcullis_command_line::arrange;
use portcullis_router_config_commands::{self as router_config, RouterConfigCommand};

const EXAMPLES: &str = "\
Examples:
  portcullis login https://localhost:1280 --username admin
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis enroll laptop.jwt
  portcullis whoami --identity laptop.json
  portcullis router-config check router.yml

Use `portcullis COMMAND --help` for the subcommands, options and examples of a
command.";

/// What only the long help says, below the examples.
const DETAILS: &str = "\
Exit codes:
  0    success
  1    the controller refused the request, or the command or a check failed
  2    invalid arguments, or a prompt is needed but there is no terminal
  3    not logged in, or the session has expired
  4    the controller cannot be reached or is not trusted
  130  cancelled with Ctrl-C

Results go to standard output, errors to standard error, as plain text in every
output format. It is not an error if a reader closes the output early.

Environment:
  PORTCULLIS_PROFILE       profile to use instead of the chosen one
  PORTCULLIS_CONFIG_DIR    directory for profiles, not ~/.config/portcullis
  PORTCULLIS_CODE          TOTP or recovery code, for `login`, `whoami`, `renew`
                           and `mfa`
  PORTCULLIS_PASSWORD      your password, for `login`, `enroll` and `password`
  PORTCULLIS_NEW_PASSWORD  new password, for `password` and `authenticator`
  COLUMNS                  width of tables, not that of the terminal
  NO_COLOR                 disable colors";

/// Administer a Portcullis network and enroll devices
#[derive(Debug, Parser)]
#[command(
    name = "portcullis",
    version,
    after_help = EXAMPLES,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Top-level commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Log in by password, certificate or JWT
    Login(LoginArgs),
    /// End the session
    #[command(after_long_help = logout::EXAMPLES)]
    Logout,
    /// Show your identity, or that of an identity file
    Whoami(WhoamiArgs),
    /// List, choose and remove profiles
    #[command(subcommand, after_long_help = profile::EXAMPLES)]
    Profile(ProfileCommand),
    /// Redeem a token for an identity file or a password
    Enroll(EnrollArgs),
    /// Renew the certificate of an identity file
    Renew(RenewArgs),
    #[command(flatten)]
    Management(ManagementCommand),
    /// Check, show, explain and generate router files
    #[command(subcommand, after_long_help = router_config::EXAMPLES)]
    RouterConfig(RouterConfigCommand),
    /// Show the versions of program and controller
    Version(VersionArgs),
    /// Generate a shell completion script
    Completion(CompletionArgs),
    /// Write man pages
    Man(ManArgs),
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
    fn indented_lines_below_the_help_are_not_wrapped() {
        let mut commands = vec![command()];
        while let Some(command) = commands.pop() {
            let text = command.get_after_long_help();
            let text = text.map(ToString::to_string).unwrap_or_default();
            for line in text.lines().filter(|line| line.starts_with(' ')) {
                let width = line.chars().count();
                assert!(width <= 80, "{}: {line}", command.get_name());
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}
