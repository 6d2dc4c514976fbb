//! Deletion of named entities.

use crate::commands::deletion::{self, Deletable, DeletionArgs, DeletionTargets};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_client::ListQuery;

/// Entities to delete, by name, id or filter.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamedDeletionArgs {
    /// Ids or names, as shown by `list`
    #[arg(
        required_unless_present = "filter",
        conflicts_with = "filter",
        value_name = "NAME"
    )]
    names: Vec<String>,

    #[command(flatten)]
    deletion: DeletionArgs,
}

/// Deletes entities by name, id or filter.
pub(crate) async fn run<D: Deletable>(
    context: &Context,
    session: &Session,
    arguments: &NamedDeletionArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let targets = match &arguments.deletion.filter {
        Some(filter) => {
            DeletionTargets::from_query::<D>(client, ListQuery::with_filter(filter)).await?
        },
        None => DeletionTargets::resolve::<D>(client, &arguments.names).await?,
    };
    deletion::run::<D>(context, session, targets, &arguments.deletion).await
}
