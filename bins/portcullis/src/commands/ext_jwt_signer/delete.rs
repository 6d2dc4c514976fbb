//! `portcullis ext-jwt-signer delete`.

use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::external_jwt_signer::ExternalJwtSignerDetail;

const EXAMPLES: &str = "\
JWTs of a deleted signer are no longer accepted, and the sessions that they opened end. Signers that
a policy uses cannot be deleted. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis ext-jwt-signer delete okta
  portcullis ext-jwt-signer delete --filter 'enabled = false' --dry-run";

/// Arguments of `ext-jwt-signer delete`.
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
    named_deletion::run::<ExternalJwtSignerDetail>(context, session, &arguments.deletion).await
}
