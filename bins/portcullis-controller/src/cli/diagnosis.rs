//! Arguments of `doctor` and `fingerprint`.

use clap::Args;
use portcullis_program::OutputFormat;
use std::path::PathBuf;

const DOCTOR_EXAMPLES: &str = "\
Checks the configuration as `config check` does, and then store, disk, limits
and clock of this machine, and the running controller as clients see it: each
address that they are told, the certificate served there, version and health.
Nothing is changed, and no other server is asked. Exits with 0 if there is no
problem, otherwise with 1.

Examples:
  portcullis-controller doctor controller.yml
  sudo portcullis-controller doctor /var/lib/portcullis/controller.yml
  portcullis-controller doctor controller.yml -o json |
      jq '.findings[] | select(.severity == \"error\")'";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_long_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Format of the findings
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output: OutputFormat,
}

const FINGERPRINT_EXAMPLES: &str = "\
Shows the SHA-256 fingerprint, the subject and the dates of each root CA, for
comparison with what `portcullis login` shows on first contact. Only
certificates are read: no key, no store, and the controller may run or not.

Examples:
  portcullis-controller fingerprint controller.yml
  portcullis-controller fingerprint --home ~/network
  portcullis-controller fingerprint controller.yml -o json | jq -r '.[0].sha256'";

/// Arguments of `fingerprint`.
#[derive(Debug, Args)]
#[command(after_long_help = FINGERPRINT_EXAMPLES)]
pub(crate) struct FingerprintArgs {
    /// Configuration file
    #[arg(required_unless_present = "home")]
    pub(crate) config: Option<PathBuf>,

    /// Home that `quickstart` created, instead of a file
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    pub(crate) home: Option<PathBuf>,

    /// Format of the output
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output: OutputFormat,
}
