//! `portcullis session list`.

use crate::commands::identity_filter::OwnedListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;

const EXAMPLES: &str = "\
JSON and YAML contain a placeholder instead of the token.

Examples:
  portcullis session list
  portcullis session list --identity laptop
  portcullis session list --sort 'createdAt desc' --all --output json";

/// Arguments of `session list`.
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
        .list::<ApiSessionDetail>(context, session)
        .await
}
