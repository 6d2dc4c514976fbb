//! `portcullis auth-policy list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::auth_policy::AuthPolicyDetail;

const EXAMPLES: &str = "\
The columns show whether identities may log in with certificates, passwords and JWTs, and
whether a TOTP code is also required.

Examples:
  portcullis auth-policy list
  portcullis auth-policy list --filter 'primary.updb.allowed = true' --sort name --all";

/// Arguments of `auth-policy list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let (query, extent) = arguments.page.query();
    listing::run::<AuthPolicyDetail>(context, &session.client, query, extent).await
}
