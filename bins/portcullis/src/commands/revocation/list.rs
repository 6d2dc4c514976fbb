//! `portcullis revocation list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::revocation::RevocationDetail;

const EXAMPLES: &str = "\
Examples:
  portcullis revocation list --sort 'createdAt desc'
  portcullis revocation list --filter 'type = \"IDENTITY\"' --all";

/// Arguments of `revocation list`.
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
    listing::run::<RevocationDetail>(context, &session.client, query, extent).await
}
