//! Arguments of `config generate`.

use crate::cli::KeyTypeArg;
use clap::{Args, ValueHint};
use std::net::IpAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Creates a root CA, an authority for identities and routers, the certificates of
the controller, and the file that names them. On a terminal, what is not given
by options is asked for. Everything is written or nothing, and no existing file
is touched. The directory has all of the network: back up its keys and
certificates, and the store by `portcullis database snapshot`.

With --cert and the options after it, certificates of your own are named and
only the file is written.

Examples:
  portcullis-controller config generate
  portcullis-controller config generate --address ctrl.example.com \\
      --dir /srv/network
  portcullis-controller config generate --address ctrl.example.com \\
      --san 192.0.2.7 --port 8441 --trust-domain example.com --dir /srv/network
  portcullis-controller config generate --address ctrl.example.com \\
      --dir /etc/portcullis --store /var/lib/portcullis/ctrl.db \\
      --cert client.pem --key client.key --server-cert server.pem \\
      --server-key server.key --ca cas.pem --signing-cert signing.pem \\
      --signing-key signing.key

  portcullis-controller config check /srv/network/controller.yml
  portcullis-controller init /srv/network/controller.yml -u admin
  portcullis-controller run /srv/network/controller.yml";

/// Arguments of `config generate`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ConfigGenerateArgs {
    /// Host name or IP address under which clients and routers reach the controller
    #[arg(long, value_name = "HOST")]
    pub(crate) address: Option<String>,

    /// Further host names and IP addresses of the server certificate
    #[arg(long = "san", value_name = "HOST", value_delimiter = ',')]
    pub(crate) sans: Vec<String>,

    /// Port of the APIs [default: 1280]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,

    /// Port for routers [default: 6262]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) ctrl_port: Option<u16>,

    /// Address to listen on [default: 0.0.0.0, or loopback if the address is a loopback one]
    #[arg(long, value_name = "IP")]
    pub(crate) interface: Option<IpAddr>,

    /// Name of the network in SPIFFE ids [default: a random one]
    #[arg(long, value_name = "NAME")]
    pub(crate) trust_domain: Option<String>,

    /// Directory for the file and all that it names, which must be empty or not exist
    #[arg(long, visible_alias = "out", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,

    /// Directory for certificates and keys, which must not exist [default: `pki` in --dir]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "own")]
    pub(crate) pki: Option<PathBuf>,

    /// Value of `db`; the store is kept beside it [default: `ctrl.db` in --dir]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<PathBuf>,

    /// Type of all keys [default: p256]
    #[arg(long, value_enum, value_name = "TYPE", conflicts_with = "own")]
    pub(crate) key_type: Option<KeyTypeArg>,

    /// Ask nothing: take the defaults
    #[arg(short, long)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) own_pki: OwnPkiArgs,
}

/// Certificates and keys that exist already.
#[derive(Debug, Args)]
#[group(id = "own", multiple = true)]
#[command(next_help_heading = "Your own certificates")]
pub(crate) struct OwnPkiArgs {
    /// Client certificate chain of the controller
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
          requires_all = ["key", "ca", "signing_cert", "signing_key"])]
    pub(crate) cert: Option<PathBuf>,

    /// Key of --cert
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "cert")]
    pub(crate) key: Option<PathBuf>,

    /// Server certificate chain of the controller [default: --cert]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "cert")]
    pub(crate) server_cert: Option<PathBuf>,

    /// Key of --server-cert [default: --key]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "cert")]
    pub(crate) server_key: Option<PathBuf>,

    /// Certificates to trust
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "cert")]
    pub(crate) ca: Option<PathBuf>,

    /// Certificate of the authority that signs identities and routers
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "cert")]
    pub(crate) signing_cert: Option<PathBuf>,

    /// Key of --signing-cert
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "cert")]
    pub(crate) signing_key: Option<PathBuf>,
}
