//! `portcullis authenticator delete`.

use crate::commands::identity_filter::OwnedDeletionArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::authenticator::AuthenticatorDetail;

const EXAMPLES: &str = "\
Logins with a deleted authenticator fail, and the sessions that it opened end at once. Deleting
several, or with --filter or --identity, asks for confirmation unless --yes is given.

Examples:
  portcullis authenticator delete v1kz.YB3Rs
  portcullis authenticator delete --identity laptop --yes
  portcullis authenticator delete --filter 'method = \"updb\"' --dry-run";

/// Arguments of `authenticator delete`.
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
        .delete::<AuthenticatorDetail>(context, session)
        .await
}
