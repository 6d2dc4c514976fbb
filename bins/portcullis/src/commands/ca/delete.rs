//! `portcullis ca delete`.

use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::ca::CaDetail;

const EXAMPLES: &str = "\
Pending enrollments for its certificates are deleted too. Identities that enrolled with one stay,
but can no longer log in with it. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis ca delete corporate
  portcullis ca delete --filter 'isVerified = false' --dry-run";

/// Arguments of `ca delete`.
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
    named_deletion::run::<CaDetail>(context, session, &arguments.deletion).await
}
