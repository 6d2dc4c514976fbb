//! `portcullis enrollment delete`.

use crate::commands::identity_filter::OwnedDeletionArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;

const EXAMPLES: &str = "\
The token of a deleted enrollment no longer works. Deleting several, or with --filter or --identity,
asks for confirmation unless --yes is given. `portcullis enrollment list` shows the ids.

Examples:
  portcullis enrollment delete Yb0Dk.7vQ
  portcullis enrollment delete --identity laptop
  portcullis enrollment delete --filter 'identity=\"uI2Rn3.8h\"' --dry-run
  portcullis enrollment delete --filter 'createdAt < datetime(2031-01-02T00:00:00Z)' --yes";

/// Arguments of `enrollment delete`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    deletion: OwnedDeletionArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: DeleteArgs,
) -> Result<(), CliError> {
    arguments
        .deletion
        .delete::<EnrollmentDetail>(context, session)
        .await
}
