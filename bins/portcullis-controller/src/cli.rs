//! Command line of the program.

mod config;

pub(crate) use config::{
    ConfigExplainArgs, ConfigGenerateArgs, ConfigShowArgs, OwnPkiArgs, ValuesFormat,
};

use crate::audit::AuditDestination;
use clap::{Args, Parser, Subcommand, ValueEnum};
use portcullis_controller_config::AuditConfig;
use std::path::PathBuf;

/// Controller of a zero-trust overlay network, compatible with OpenZiti.
#[derive(Debug, Parser)]
#[command(name = "portcullis-controller", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// What to log to stderr: a level, or levels by component such as `warn,audit=info` [default:
    /// `log.filter` of the configuration, or else `info`]
    #[arg(long, value_name = "FILTER", env = "PORTCULLIS_LOG", global = true)]
    pub(crate) log: Option<String>,

    /// Allow core dumps, and debuggers run by the same user; both can expose secrets
    #[arg(long, global = true)]
    pub(crate) allow_core_dumps: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  portcullis-controller quickstart                     a network to try things out
  portcullis-controller quickstart --home ~/network    the same, kept
  portcullis-controller config generate                a network that stays, step by step
  portcullis-controller config check controller.yml    every mistake, with its place
  portcullis-controller doctor controller.yml          what is wrong with a controller
  portcullis-controller fingerprint controller.yml     the CA, to compare at the first login
  portcullis-controller init controller.yml -u admin
  portcullis-controller run controller.yml
  portcullis-controller run controller.yml --audit-file audit.jsonl
  portcullis-controller audit verify audit.jsonl.1 audit.jsonl
  portcullis-controller admin remove-mfa controller.yml admin
  portcullis-controller backup verify ctrl.db.portcullis-20310405-060708
  portcullis-controller backup restore controller.yml ctrl.db.portcullis-20310405-060708

Exit codes: 0 success, 1 failure, 2 the command line is invalid.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a network and serve it
    Quickstart(QuickstartArgs),
    /// Create the first administrator of a network
    Init(InitArgs),
    /// Serve the network of a configuration file
    Run(RunArgs),
    /// Restore access to an identity when nobody who could help can log in
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Work with files of the audit trail
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Verify copies of the store, and restore one
    #[command(subcommand)]
    Backup(BackupCommand),
    /// Work with configuration files
    #[command(subcommand, after_help = config::EXAMPLES)]
    Config(ConfigCommand),
    /// Find out what is wrong with a controller, running or not, and around it
    Doctor(DoctorArgs),
    /// Show the fingerprint of the CA, which `portcullis login` asks about on first contact
    Fingerprint(FingerprintArgs),
    /// Show the version
    Version,
}

/// Creates its own certificates, store and administrator, prints how to log in, and serves.
#[derive(Debug, Args)]
pub(crate) struct QuickstartArgs {
    /// Directory for all files; if omitted, a temporary one that is removed at the end
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

    /// File with the password of the administrator, or `-` to be prompted for it; overrides --password
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,

    /// Password of the administrator, 5 to 100 characters [default: a random one, which is shown].
    /// Other users of the machine can see it while the controller runs: prefer --password-file
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
    pub(crate) key_type: Option<KeyTypeArg>,

    /// Partial configuration file whose keys override the generated ones
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) audit: AuditArgs,

    #[command(flatten)]
    pub(crate) damage: DamageArgs,
}

/// Creates the administrator in the store of a configuration file whose controller is not running.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Name of the administrator, 4 to 100 characters
    #[arg(short, long, value_name = "NAME")]
    pub(crate) username: String,

    #[command(flatten)]
    pub(crate) password: PasswordArgs,
}

/// Where a password comes from.
#[derive(Debug, Args)]
pub(crate) struct PasswordArgs {
    /// File with the password, or `-` for standard input; a trailing line break is ignored [default:
    /// a prompt on the terminal]
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

/// Works directly on the store of a configuration file, whose controller must be stopped.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Set the password of an identity
    ResetPassword(ResetPasswordArgs),
    /// Remove the TOTP enrollment of an identity
    RemoveMfa(RemoveMfaArgs),
}

/// Sets a password, enables the identity, resets its failed attempts and ends its sessions. A TOTP
/// enrollment is kept: `admin remove-mfa` removes it.
#[derive(Debug, Args)]
pub(crate) struct ResetPasswordArgs {
    #[command(flatten)]
    pub(crate) account: AccountArgs,

    #[command(flatten)]
    pub(crate) password: PasswordArgs,
}

/// Removes an enrollment, started or verified, resets the failed codes of the identity and ends its
/// sessions. The next login asks for no code; if the policy of the identity requires TOTP, it leads to
/// another enrollment. A disabled identity stays disabled: `admin reset-password` enables it.
#[derive(Debug, Args)]
pub(crate) struct RemoveMfaArgs {
    #[command(flatten)]
    pub(crate) account: AccountArgs,
}

/// An identity in a store.
#[derive(Debug, Args)]
pub(crate) struct AccountArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Id or name of the identity
    pub(crate) identity: String,
}

/// Serves until it gets SIGTERM or SIGINT.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    #[command(flatten)]
    pub(crate) audit: AuditArgs,

    #[command(flatten)]
    pub(crate) damage: DamageArgs,
}

/// Where the audit trail goes.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// File for the audit trail, which is created if it does not exist [default: `audit.file` of the
    /// configuration, or else stderr]
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_file: Option<PathBuf>,
}

impl AuditArgs {
    /// Destination of the trail by this option or, without it, by the configuration.
    pub(crate) fn destination(&self, config: &AuditConfig) -> AuditDestination {
        let file = self.audit_file.as_ref().or(config.file.as_ref());
        file.cloned()
            .map_or(AuditDestination::Stream, AuditDestination::File)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check that no line of the trail was changed, removed, added or moved
    Verify(AuditVerifyArgs),
}

/// Exits with 0 if the trail is intact, otherwise with 1 and the number of the first invalid line. Of
/// several files, each has to continue the one before it.
#[derive(Debug, Args)]
pub(crate) struct AuditVerifyArgs {
    /// Files of the trail, the oldest first: those that were moved away, then the one of
    /// `--audit-file`
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Works with copies that `portcullis database snapshot` has written.
#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Check that a copy is complete and undamaged, without changing it
    Verify(BackupVerifyArgs),
    /// Put a copy in the place of the store of a configuration file, whose controller must be stopped
    Restore(BackupRestoreArgs),
}

/// Exits with 0 if the copy is intact, otherwise with 1 and what is wrong in it.
#[derive(Debug, Args)]
pub(crate) struct BackupVerifyArgs {
    /// Copy of a store
    pub(crate) copy: PathBuf,

    /// Configuration file, to check that its sealing key opens the copy
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Verifies the copy first. The store that is replaced is kept beside it, with the time in its name.
#[derive(Debug, Args)]
pub(crate) struct BackupRestoreArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Copy of the store
    pub(crate) copy: PathBuf,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DamageArgs {
    /// Serve what is left of a damaged store
    #[arg(long)]
    pub(crate) accept_damage: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Create the file and the certificates of a network that stays
    Generate(Box<ConfigGenerateArgs>),
    /// Find every mistake in configuration files
    Check(ConfigCheckArgs),
    /// Show the effective values of a file, including defaults, and their sources
    Show(ConfigShowArgs),
    /// Explain a key: meaning, default, bounds and an example
    Explain(ConfigExplainArgs),
    /// Print the JSON Schema of the file, for completion and hints in editors
    #[command(after_help = config::SCHEMA_EXAMPLES)]
    Schema,
}

/// Exits with 0 if all files are valid, otherwise with 1.
#[derive(Debug, Args)]
pub(crate) struct ConfigCheckArgs {
    /// Configuration files, each complete on its own
    #[arg(required = true, value_name = "CONFIG")]
    pub(crate) files: Vec<PathBuf>,

    /// Format of the findings
    #[arg(long, value_enum, default_value_t = FindingsFormat::Human)]
    pub(crate) format: FindingsFormat,
}

/// Checks the configuration as `config check` does, and then store, disk, limits and clock of this
/// machine, and the running controller as clients see it: each address that they are told, the
/// certificate served there, version and health. Nothing is changed, and no other server is asked. Exits
/// with 0 if there is no problem, otherwise with 1.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Format of the findings
    #[arg(short, long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output: OutputFormat,
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  portcullis-controller doctor controller.yml
  sudo -u portcullis portcullis-controller doctor /var/lib/portcullis/controller.yml
  portcullis-controller doctor controller.yml -o json | jq '.findings[] | select(.severity == \"error\")'";

/// Shows the SHA-256 fingerprint, the subject and the dates of each root CA. Only certificates are read:
/// no key, no store, and the controller may run or not.
#[derive(Debug, Args)]
#[command(after_help = FINGERPRINT_EXAMPLES)]
pub(crate) struct FingerprintArgs {
    /// Configuration file
    #[arg(required_unless_present = "home")]
    pub(crate) config: Option<PathBuf>,

    /// Home that `quickstart` created, instead of a file
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    pub(crate) home: Option<PathBuf>,

    /// Format of the output
    #[arg(short, long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output: OutputFormat,
}

const FINGERPRINT_EXAMPLES: &str = "\
Examples:
  portcullis-controller fingerprint controller.yml
  portcullis-controller fingerprint --home ~/network
  portcullis-controller fingerprint controller.yml -o json | jq -r '.[0].sha256'";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Text,
    /// JSON
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// Like compiler messages, with the line
    Human,
    /// One JSON list
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyTypeArg {
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
