//! Arguments of `enroll`.

use clap::{Args, ValueHint};
use portcullis_command_line::KeyTypeArg;
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

    /// Identity file to write [default: the token file with the extension `.json`]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,

    /// Overwrite the identity file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Type of the generated key
    #[arg(long, value_name = "TYPE", value_enum, default_value_t)]
    pub(crate) key_type: KeyTypeArg,
}
