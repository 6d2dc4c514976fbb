//! `portcullis identity delete`.

use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::identity::IdentityDetail;

const EXAMPLES: &str = "\
The sessions, certificates, passwords and enrollments of an identity are deleted too: its access
ends at once. Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis identity delete laptop
  portcullis identity delete laptop printer --yes
  portcullis identity delete --filter 'name contains \"test-\"' --dry-run
  portcullis identity delete --filter 'name contains \"test-\"'";

/// Arguments of `identity delete`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    deletion: NamedDeletionArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: DeleteArgs,
) -> Result<(), CliError> {
    named_deletion::run::<IdentityDetail>(context, session, &arguments.deletion).await
}
