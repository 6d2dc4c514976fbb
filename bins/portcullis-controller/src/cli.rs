//! Command line of the program.

mod admin;
mod audit;
mod backup;
mod config;
mod diagnosis;
mod groups;
mod network;

pub(crate) use admin::{AccountArgs, AdminCommand, RemoveMfaArgs, ResetPasswordArgs};
pub(crate) use audit::{AuditCommand, AuditVerifyArgs};
pub(crate) use backup::{BackupCommand, BackupRestoreArgs, BackupVerifyArgs};
pub(crate) use config::{
    ConfigCheckArgs, ConfigCommand, ConfigExplainArgs, ConfigGenerateArgs, ConfigShowArgs,
    OwnPkiArgs, ValuesFormat,
};
pub(crate) use diagnosis::{DoctorArgs, FingerprintArgs};
pub(crate) use network::{InitArgs, NewPasswordArgs, QuickstartArgs, RunArgs};

use crate::build::BUILD;
use clap::{Parser, Subcommand, ValueEnum};
use groups::GROUPS;
use portcullis_command_line::CommandGroup;
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_pki::KeyType;
use portcullis_program::{AboutCommand, CommandLine, ProcessArgs};

/// Controller of a zero-trust overlay network, compatible with OpenZiti
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
    /// Create a network and serve it
    Quickstart(QuickstartArgs),
    /// Create the first administrator of a network
    Init(InitArgs),
    /// Serve the network of a configuration file
    Run(RunArgs),
    /// Restore access when nobody who could help can log in
    #[command(subcommand, after_long_help = admin::EXAMPLES)]
    Admin(AdminCommand),
    /// Work with files of the audit trail
    #[command(subcommand, after_long_help = audit::EXAMPLES)]
    Audit(AuditCommand),
    /// Verify copies of the store, and restore one
    #[command(subcommand, after_long_help = backup::EXAMPLES)]
    Backup(BackupCommand),
    /// Generate, check, show and explain configuration files
    #[command(subcommand, after_long_help = config::EXAMPLES)]
    Config(ConfigCommand),
    /// Find out what is wrong with a controller, running or not
    Doctor(DoctorArgs),
    /// Show the fingerprint of the CA
    Fingerprint(FingerprintArgs),
    #[command(flatten)]
    About(AboutCommand),
}

/// Types of the keys of a network. None of RSA with 4096 bits, which would slow down each handshake.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyTypeArg {
    /// ECDSA over P-256
    #[default]
    P256,
    /// ECDSA over P-384
    P384,
    /// RSA of 2048 bits
    Rsa2048,
}

impl From<KeyTypeArg> for KeyType {
    fn from(kind: KeyTypeArg) -> Self {
        match kind {
            KeyTypeArg::P256 => Self::P256,
            KeyTypeArg::P384 => Self::P384,
            KeyTypeArg::Rsa2048 => Self::Rsa2048,
        }
    }
}

impl CommandLine for Cli {
    const NAME: &'static str = "portcullis-controller";

    const GROUPS: &'static [CommandGroup] = GROUPS;

    const LOG_HELP: &'static str = "What to log to stderr: a level, or levels by component such as \
                                    `warn,audit=info` [default: `log.filter` of the configuration, or \
                                    else `info`]";

    const EXAMPLES: &'static str = "\
Examples:
  portcullis-controller quickstart                     to try things out
  portcullis-controller quickstart --home ~/network    the same, kept
  portcullis-controller config generate                a network that stays
  portcullis-controller config check controller.yml    every mistake in it
  portcullis-controller init controller.yml -u admin
  portcullis-controller run controller.yml             serve it
  portcullis-controller doctor controller.yml          what is wrong with it

Use `portcullis-controller COMMAND --help` for the subcommands, options and
examples of a command.";

    const DETAILS: &'static str = "\
Exit codes:
  0  success
  1  the command or a check failed
  2  invalid arguments, or a prompt is needed but there is no terminal

Results go to standard output, the log and errors to standard error.

Environment:
  PORTCULLIS_LOG           what to log, like --log
  PORTCULLIS_NEW_PASSWORD  password for `init` and `admin reset-password`
  ZITI_CTRL_EDGE_ADVERTISED_ADDRESS, ZITI_CTRL_EDGE_ADVERTISED_PORT,
  ZITI_USER, ZITI_PWD      options of `quickstart`, as in `ziti edge quickstart`";

    fn process(&self) -> &ProcessArgs {
        &self.process
    }

    fn is_service(&self) -> bool {
        matches!(self.command, Command::Run(_))
    }

    fn version() -> String {
        format!(
            "{} {} ({}), API level {OPENZITI_LEVEL}",
            Self::NAME,
            BUILD.version,
            BUILD.revision
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
    fn indented_lines_below_the_help_are_not_wrapped() {
        let mut commands = vec![command::<Cli>()];
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
