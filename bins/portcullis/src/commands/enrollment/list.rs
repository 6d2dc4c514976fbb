//! `portcullis enrollment list`.

use crate::commands::identity_filter::OwnedListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;

const EXAMPLES: &str = "\
Examples:
  portcullis enrollment list
  portcullis enrollment list --identity laptop
  portcullis enrollment list --filter 'createdAt < datetime(2031-01-02T00:00:00Z)' --all
  portcullis enrollment list --identity laptop --output json | jq -r '.data[0].jwt'";

/// Arguments of `enrollment list`.
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
        .list::<EnrollmentDetail>(context, session)
        .await
}
