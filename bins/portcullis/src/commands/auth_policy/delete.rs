//! `portcullis auth-policy delete`.

use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::auth_policy::AuthPolicyDetail;

const EXAMPLES: &str = "\
The policy `Default` and policies in use by identities or signers cannot be deleted. Deleting
several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis auth-policy delete staff
  portcullis auth-policy delete --filter 'name contains \"test-\"' --dry-run";

/// Arguments of `auth-policy delete`.
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
    named_deletion::run::<AuthPolicyDetail>(context, session, &arguments.deletion).await
}
