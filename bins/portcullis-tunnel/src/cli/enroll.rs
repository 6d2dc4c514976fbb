//! Arguments of `enroll`.

use clap::{Args, ValueEnum, ValueHint};
use portcullis_pki::KeyType;
use std::path::PathBuf;

const EXAMPLES: &str = "\
The token is verified against the certificate of its controller, which then
issues a certificate for a key that is generated here. The result is an identity
file for this program and for OpenZiti clients, which only its owner may read.
Administrators get the token with
`portcullis identity create NAME --output-jwt FILE`. For tokens that take a
password, a certificate of your own or a JWT, use `portcullis enroll`.

Examples:
  portcullis-tunnel enroll laptop.jwt                   # writes laptop.json
  portcullis-tunnel enroll - --out laptop.json < laptop.jwt";

/// Arguments of `enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnrollArgs {
    /// File with the token; `-` for standard input
    #[arg(value_name = "TOKEN", value_hint = ValueHint::FilePath)]
    pub(crate) token: PathBuf,

    /// Identity file to write (default: the token file with the extension `.json`)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,

    /// Overwrite the identity file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Type of the generated key
    #[arg(long, value_name = "TYPE", value_enum, default_value_t)]
    pub(crate) key_type: KeyTypeArg,
}

/// Types of generated keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyTypeArg {
    /// ECDSA over NIST P-256
    #[default]
    P256,
    /// ECDSA over NIST P-384
    P384,
    /// RSA of 2048 bits
    Rsa2048,
    /// RSA of 4096 bits
    Rsa4096,
}

impl From<KeyTypeArg> for KeyType {
    fn from(kind: KeyTypeArg) -> Self {
        match kind {
            KeyTypeArg::P256 => Self::P256,
            KeyTypeArg::P384 => Self::P384,
            KeyTypeArg::Rsa2048 => Self::Rsa2048,
            KeyTypeArg::Rsa4096 => Self::Rsa4096,
        }
    }
}
