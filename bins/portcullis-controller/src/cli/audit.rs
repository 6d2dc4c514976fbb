//! Arguments of `audit`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "\
Examples:
  portcullis-controller run controller.yml --audit-file audit.jsonl
  portcullis-controller audit verify audit.jsonl";

const VERIFY_EXAMPLES: &str = "\
Exits with 0 if the trail is intact, otherwise with 1 and the number of the
first invalid line. Of several files, each has to continue the one before it.
Numbers of events that are missing are shown; with --strict, they are errors.

Examples:
  portcullis-controller audit verify audit.jsonl
  portcullis-controller audit verify audit.jsonl.2 audit.jsonl.1 audit.jsonl";

/// Subcommands of `audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check that no line of the trail was changed, removed, added or moved
    Verify(AuditVerifyArgs),
}

/// Arguments of `audit verify`.
#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_EXAMPLES)]
pub(crate) struct AuditVerifyArgs {
    /// Files of the trail, the oldest first: those that were moved away, then the one of
    /// `--audit-file`
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Fail if numbers of events are missing
    #[arg(long)]
    pub(crate) strict: bool,
}
