//! Arguments of `backup`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "\
A copy is what `portcullis database snapshot` writes while the controller runs.

Examples:
  portcullis-controller backup verify ctrl.db.portcullis-20310405-060708
  portcullis-controller backup restore controller.yml \\
      ctrl.db.portcullis-20310405-060708";

const VERIFY_EXAMPLES: &str = "\
Exits with 0 if the copy is intact, otherwise with 1 and what is wrong in it.
The copy is not changed, and the controller may run.

Examples:
  portcullis-controller backup verify ctrl.db.portcullis-20310405-060708
  portcullis-controller backup verify ctrl.db.portcullis-20310405-060708 \\
      --config controller.yml";

const RESTORE_EXAMPLES: &str = "\
Verifies the copy first. The store that is replaced is kept beside it, with the
time in its name. The controller must be stopped.

Examples:
  portcullis-controller backup restore controller.yml \\
      ctrl.db.portcullis-20310405-060708";

/// Subcommands of `backup`.
#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Check that a copy is complete and undamaged, without changing it
    Verify(BackupVerifyArgs),
    /// Put a copy in the place of the store of a configuration file, whose controller must be stopped
    Restore(BackupRestoreArgs),
}

/// Arguments of `backup verify`.
#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_EXAMPLES)]
pub(crate) struct BackupVerifyArgs {
    /// Copy of a store
    pub(crate) copy: PathBuf,

    /// Configuration file, to check that its sealing key opens the copy
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Arguments of `backup restore`.
#[derive(Debug, Args)]
#[command(after_long_help = RESTORE_EXAMPLES)]
pub(crate) struct BackupRestoreArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Copy of the store
    pub(crate) copy: PathBuf,
}
