//! `portcullis terminator delete`.

use crate::commands::deletion::{self, DeletionArgs, DeletionTargets};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_client::ListQuery;

const EXAMPLES: &str = "\
Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis terminator delete 3Tn4aRb2kx
  portcullis terminator delete --filter 'service.name = \"wiki\"' --dry-run";

/// Arguments of `terminator delete`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteArgs {
    /// Ids, as shown by `list`
    #[arg(
        required_unless_present = "filter",
        conflicts_with = "filter",
        value_name = "ID"
    )]
    ids: Vec<String>,

    #[command(flatten)]
    deletion: DeletionArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: DeleteArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let targets = match &arguments.deletion.filter {
        Some(filter) => {
            DeletionTargets::from_query::<TerminatorDetail>(client, ListQuery::with_filter(filter))
                .await?
        },
        None => DeletionTargets::resolve::<TerminatorDetail>(client, &arguments.ids).await?,
    };
    deletion::run::<TerminatorDetail>(context, session, targets, &arguments.deletion).await
}
