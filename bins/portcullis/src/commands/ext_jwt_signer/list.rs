//! `portcullis ext-jwt-signer list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::external_jwt_signer::{ClientExternalJwtSignerDetail, ExternalJwtSignerDetail};

const EXAMPLES: &str = "\
Examples:
  portcullis ext-jwt-signer list
  portcullis ext-jwt-signer list --public            # what clients can see before logging in
  portcullis ext-jwt-signer list --filter 'enabled = true' --sort name --all";

/// Arguments of `ext-jwt-signer list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    /// List the enabled signers, as clients see them before logging in
    #[arg(long)]
    public: bool,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let (query, extent) = arguments.page.query();
    let client = &session.client;
    if arguments.public {
        listing::run::<ClientExternalJwtSignerDetail>(context, client, query, extent).await
    } else {
        listing::run::<ExternalJwtSignerDetail>(context, client, query, extent).await
    }
}
