//! Arguments of `enroll`.

use clap::{Args, ValueHint};
use portcullis_command_line::KeyTypeArg;
use std::path::PathBuf;

const EXAMPLES: &str = "\
The token is verified against the certificate of its controller, which then
issues a client and a server certificate with the names of `csr`. They are
written to the files of `identity`, as well as the CA certificates and, if
there is none yet, the key. Only their owner may read them. Administrators
get the token with `portcullis edge-router create NAME --output-jwt FILE`.

Examples:
  portcullis-router enroll r1.yml --jwt r1.jwt
  portcullis-router enroll r1.yml --jwt - < r1.jwt
  portcullis-router enroll r1.yml --jwt again.jwt --force
  portcullis-router enroll r1.yml --jwt r1.jwt --key-type rsa2048";

/// Arguments of `enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnrollArgs {
    /// Configuration file
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: PathBuf,

    /// File with the token, `-` for standard input, or the token itself, which other users of the machine
    /// can then see
    #[arg(short, long, value_name = "TOKEN", value_hint = ValueHint::FilePath)]
    pub(crate) jwt: PathBuf,

    /// Enroll again: replace the certificates that are there. The key stays
    #[arg(long)]
    pub(crate) force: bool,

    /// Type of the key, if there is none yet [default: p256]. `rsa2048` suits SDKs of 2022 and before;
    /// `EC` and `RSA` are those of `ziti router enroll`
    #[arg(
        short = 'a',
        long,
        visible_alias = "keyAlg",
        value_name = "TYPE",
        value_enum,
        ignore_case = true
    )]
    pub(crate) key_type: Option<KeyTypeArg>,

    /// Hardware token, which is not supported
    #[arg(short, long, hide = true)]
    pub(crate) engine: Option<String>,
}
