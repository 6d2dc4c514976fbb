//! `portcullis session delete`.

use crate::commands::identity_filter::OwnedDeletionArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_client::Api;

const EXAMPLES: &str = "\
A deleted session ends at once; its identity may log in again. Your own session is deleted last.
Deleting several, or with --filter or --identity, asks for confirmation unless --yes is given.

Examples:
  portcullis session delete cmf0a1b2c3d4e5f6g7h8i9j0k
  portcullis session delete --identity laptop --yes
  portcullis session delete --filter 'lastActivityAt < datetime(2031-01-02T00:00:00Z)' --dry-run";

/// Arguments of `session delete`.
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
    let client = &session.client;
    let deletion = arguments.deletion;
    let mut targets = deletion.targets::<ApiSessionDetail>(client).await?;
    // Deleting the own session earlier would end the command.
    let own = client.current_session(Api::Client).await?;
    targets.move_to_end(own.base.id.as_str());
    deletion
        .delete_targets::<ApiSessionDetail>(context, session, targets)
        .await
}
