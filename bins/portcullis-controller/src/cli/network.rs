//! Arguments of `quickstart`, `init` and `run`.

use super::KeyTypeArg;
use crate::audit::AuditDestination;
use clap::{Args, ValueHint};
use portcullis_controller_config::AuditConfig;
use std::path::PathBuf;

const QUICKSTART_EXAMPLES: &str = "\
Creates certificates, a store and an administrator, prints how to log in, and
serves until SIGTERM or SIGINT. A second start with the same --home continues
with the network that is there. For a network that stays, see `config generate`.

Examples:
  portcullis-controller quickstart
  portcullis-controller quickstart --router --home ~/network
  portcullis-controller quickstart --home ~/network -u anna --password-file -
  portcullis-controller quickstart --ctrl-address ctrl.example.com \\
      --ctrl-port 8441 --home /srv/network
  portcullis-controller quickstart --console ~/ziti-console/dist";

/// Arguments of `quickstart`.
#[derive(Debug, Args)]
#[command(after_long_help = QUICKSTART_EXAMPLES)]
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

    /// File with the password of the administrator, or `-` for standard input; overrides --password
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
    #[arg(long, value_enum, value_name = "TYPE")]
    pub(crate) key_type: Option<KeyTypeArg>,

    /// Run a router as well, with policies by which all identities may use it for all services. A home
    /// that has one keeps it
    #[arg(long)]
    pub(crate) router: bool,

    /// Port of the router for clients; 0 takes any free one [default: 3022]
    #[arg(long, value_name = "PORT", requires = "router")]
    pub(crate) router_port: Option<u16>,

    /// Directory of a built web console, which is served at /zac
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) console: Option<PathBuf>,

    /// Partial configuration file whose keys override the generated ones
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) audit: AuditArgs,

    #[command(flatten)]
    pub(crate) damage: DamageArgs,
}

const INIT_EXAMPLES: &str = "\
Works on the store, so the controller must be stopped. There is one such
administrator, who creates all others once the controller runs.

Examples:
  portcullis-controller init controller.yml -u admin
  portcullis-controller init controller.yml -u admin --password-file secret.txt";

/// Arguments of `init`.
#[derive(Debug, Args)]
#[command(after_long_help = INIT_EXAMPLES)]
pub(crate) struct InitArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Name of the administrator, 4 to 100 characters
    #[arg(short, long, value_name = "NAME")]
    pub(crate) username: String,

    #[command(flatten)]
    pub(crate) password: NewPasswordArgs,
}

/// Where a new password comes from.
///
/// The variable is no `env` of an argument: that would conflict with `--password-file`, which overrides
/// it.
#[derive(Debug, Args)]
pub(crate) struct NewPasswordArgs {
    /// File with the password in its first line, or `-` for standard input [default:
    /// `PORTCULLIS_NEW_PASSWORD`, or else a prompt on the terminal]
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    pub(crate) password_file: Option<PathBuf>,

    /// The password, 5 to 100 characters. Other users of the machine can see it: prefer a file or the
    /// variable `PORTCULLIS_NEW_PASSWORD`
    #[arg(short, long, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
}

const RUN_EXAMPLES: &str = "\
Serves until SIGTERM or SIGINT; a second signal ends it at once. SIGHUP reloads
certificates and the filter of the log, and reopens the audit file. All other
keys of the configuration take a restart.

Examples:
  portcullis-controller run controller.yml
  portcullis-controller run controller.yml --audit-file audit.jsonl
  portcullis-controller run controller.yml --log warn,audit=info";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_long_help = RUN_EXAMPLES)]
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

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DamageArgs {
    /// Serve what is left of a damaged store
    #[arg(long)]
    pub(crate) accept_damage: bool,
}
