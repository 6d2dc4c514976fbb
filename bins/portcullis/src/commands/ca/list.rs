//! `portcullis ca list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::ca::CaDetail;

const EXAMPLES: &str = "\
The columns show whether the CA is verified, and whether its certificates can be used to log in,
to enroll with a token, and to create identities automatically.

Examples:
  portcullis ca list
  portcullis ca list --filter 'isVerified = false' --sort name --all";

/// Arguments of `ca list`.
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
    listing::run::<CaDetail>(context, &session.client, query, extent).await
}
