//! `portcullis authenticator list`.

use crate::commands::identity_filter::OwnedListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::authenticator::AuthenticatorDetail;

const EXAMPLES: &str = "\
Examples:
  portcullis authenticator list
  portcullis authenticator list --identity laptop
  portcullis authenticator list --filter 'method = \"updb\"' --sort 'createdAt desc' --all";

/// Arguments of `authenticator list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    list: OwnedListArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    arguments
        .list
        .list::<AuthenticatorDetail>(context, session)
        .await
}
