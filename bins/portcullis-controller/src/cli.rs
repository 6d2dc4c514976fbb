//! The command line.

use crate::audit::AuditTarget;
use clap::{Args, Parser, Subcommand, ValueEnum};
use portcullis_controller_config::AuditConfig;
use std::path::PathBuf;

/// Controller of a zero-trust overlay network, compatible with OpenZiti.
#[derive(Debug, Parser)]
#[command(name = "portcullis-controller", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// What is logged to stderr: a level, or levels by part such as `warn,audit=info`
    #[arg(
        long,
        value_name = "FILTER",
        env = "PORTCULLIS_LOG",
        default_value = "info",
        global = true
    )]
    pub(crate) log: String,

    /// Let the system write core dumps, and debuggers of the same user look into the memory: both
    /// show secrets
    #[arg(long, global = true)]
    pub(crate) allow_core_dumps: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  portcullis-controller quickstart                     a network to try things out
  portcullis-controller quickstart --home ~/network    the same, kept
  portcullis-controller config check controller.yml    every mistake, with its place
  portcullis-controller init controller.yml -u admin --password-file -
  portcullis-controller run controller.yml
  portcullis-controller run controller.yml --audit-file audit.jsonl
  portcullis-controller audit verify audit.jsonl
  portcullis-controller admin remove-mfa controller.yml admin

Exit codes: 0 success, 1 failure, 2 the command line is invalid.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a network and serve it
    Quickstart(Quickstart),
    /// Create the first administrator of a network
    Init(Init),
    /// Serve the network of a configuration file
    Run(Run),
    /// Restore access to an identity when nobody who could help can log in
    #[command(subcommand)]
    Admin(Admin),
    /// Work with files of the audit trail
    #[command(subcommand)]
    Audit(Audit),
    /// Work with configuration files
    #[command(subcommand)]
    Config(Config),
    /// Show the version
    Version,
}

/// Makes its own certificates, store and administrator, says how to log in, and serves.
#[derive(Debug, Args)]
pub(crate) struct Quickstart {
    /// Folder for all files; if left out, a temporary one that is removed at the end
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Host name or IP address under which clients reach the controller [default: localhost]
    #[arg(long, value_name = "HOST", env = "ZITI_CTRL_EDGE_ADVERTISED_ADDRESS")]
    pub(crate) ctrl_address: Option<String>,

    /// Port of the APIs; 0 takes any free one [default: 1280]
    #[arg(long, value_name = "PORT", env = "ZITI_CTRL_EDGE_ADVERTISED_PORT")]
    pub(crate) ctrl_port: Option<u16>,

    /// Name of the administrator, 4 to 100 characters [default: admin]
    #[arg(short, long, value_name = "NAME", env = "ZITI_USER")]
    pub(crate) username: Option<String>,

    /// File with the password of the administrator, or `-` to be asked for it; overrides --password
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,

    /// Password of the administrator, 5 to 100 characters [default: a random one, which is shown].
    /// Other users of the machine can see it as long as the controller runs: prefer --password-file
    #[arg(
        short,
        long,
        value_name = "PASSWORD",
        env = "ZITI_PWD",
        hide_env_values = true
    )]
    pub(crate) password: Option<String>,

    /// Type of the keys of all certificates [default: p256]
    ///
    /// Clients on the OpenZiti C SDK from before April 2023 need rsa2048.
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) key_type: Option<KeyKind>,

    /// Partial configuration file whose keys override the generated ones
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) audit: AuditOption,

    #[command(flatten)]
    pub(crate) damage: Damage,
}

/// Makes the administrator in the store of a configuration file whose controller is not running.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Name of the administrator, 4 to 100 characters
    #[arg(short, long, value_name = "NAME")]
    pub(crate) username: String,

    #[command(flatten)]
    pub(crate) password: GivenPassword,
}

/// Where a password comes from.
#[derive(Debug, Args)]
pub(crate) struct GivenPassword {
    /// File with the password, or `-` to be asked for it; a line break at its end does not count
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    pub(crate) password_file: Option<PathBuf>,

    /// The password, 5 to 100 characters; other users of the machine can see it
    #[arg(
        short,
        long,
        value_name = "PASSWORD",
        env = "PORTCULLIS_PASSWORD",
        hide_env_values = true
    )]
    pub(crate) password: Option<String>,
}

/// Works on the store of a configuration file whose controller is not running.
#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Set somebody's password
    ResetPassword(ResetPassword),
    /// Remove somebody's TOTP enrollment
    RemoveMfa(RemoveMfa),
}

/// Sets a password, enables the identity, forgets its wrong passwords and ends its sessions. A TOTP
/// enrollment stays: `admin remove-mfa` removes it.
#[derive(Debug, Args)]
pub(crate) struct ResetPassword {
    #[command(flatten)]
    pub(crate) whose: Whose,

    #[command(flatten)]
    pub(crate) password: GivenPassword,
}

/// Removes an enrollment, begun or verified, forgets the wrong codes of the identity and ends its
/// sessions. The next login asks for no code; if the policy of the identity demands TOTP, it leads to
/// another enrollment. Whoever is disabled stays so: `admin reset-password` enables.
#[derive(Debug, Args)]
pub(crate) struct RemoveMfa {
    #[command(flatten)]
    pub(crate) whose: Whose,
}

/// An identity in a store.
#[derive(Debug, Args)]
pub(crate) struct Whose {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Id or name of the identity
    pub(crate) identity: String,
}

/// Serves until it gets SIGTERM or SIGINT.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Configuration file
    pub(crate) config: PathBuf,

    #[command(flatten)]
    pub(crate) audit: AuditOption,

    #[command(flatten)]
    pub(crate) damage: Damage,
}

/// Where the audit trail goes.
#[derive(Debug, Args)]
pub(crate) struct AuditOption {
    /// File for the audit trail, which is created if it does not exist [default: `audit.file` of the
    /// configuration, or else stderr]
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_file: Option<PathBuf>,
}

impl AuditOption {
    /// Where the trail goes by this option or, without it, by the configuration.
    pub(crate) fn target(&self, config: &AuditConfig) -> AuditTarget {
        let file = self.audit_file.as_ref().or(config.file.as_ref());
        file.cloned().map_or(AuditTarget::Stream, AuditTarget::File)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Check that no line of a file was changed, removed, added or moved
    Verify(AuditVerify),
}

/// Exits with 0 when the file is whole, with 1 when it is not; then it says at which line it breaks.
#[derive(Debug, Args)]
pub(crate) struct AuditVerify {
    /// File that `--audit-file` named
    pub(crate) file: PathBuf,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Damage {
    /// Serve a damaged store with what is left of it
    #[arg(long)]
    pub(crate) accept_damage: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Find every mistake of configuration files
    Check(Check),
}

/// Exits with 0 when all files can be used, with 1 when one cannot.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Configuration files, each complete on its own
    #[arg(required = true, value_name = "CONFIG")]
    pub(crate) files: Vec<PathBuf>,

    /// Format of the findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Like a compiler, with the line
    Human,
    /// One JSON list
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyKind {
    /// ECDSA over P-256
    P256,
    /// ECDSA over P-384
    P384,
    /// RSA of 2048 bits
    Rsa2048,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
