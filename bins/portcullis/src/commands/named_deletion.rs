//! Deleting what has a name.

use crate::commands::deletion::{self, Deletable, DeletionArgs, Targets};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_client::ListQuery;

/// What to delete, by name, by id, or by what a filter finds.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamedDeletionArgs {
    /// Ids or names, as `list` shows them
    #[arg(
        required_unless_present = "filter",
        conflicts_with = "filter",
        value_name = "NAME"
    )]
    names: Vec<String>,

    #[command(flatten)]
    deletion: DeletionArgs,
}

/// Deletes what is called by names or ids, or found by a filter.
pub(crate) async fn run<D: Deletable>(
    context: &Context,
    session: &Session,
    arguments: &NamedDeletionArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let targets = match &arguments.deletion.filter {
        Some(filter) => Targets::found::<D>(client, ListQuery::filtered(filter)).await?,
        None => Targets::named::<D>(client, &arguments.names).await?,
    };
    deletion::run::<D>(context, session, targets, &arguments.deletion).await
}
