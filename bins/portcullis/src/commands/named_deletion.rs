//! Deletion of named entities.

use crate::commands::deletion::{self, DeletionArgs, DeletionTargets};
use crate::context::{Context, Session};
use crate::entity::Entity;
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
pub(crate) async fn run<E: Entity>(
    context: &Context,
    session: &Session,
    arguments: &NamedDeletionArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let targets = match &arguments.deletion.filter {
        Some(filter) => {
            DeletionTargets::from_query::<E>(client, ListQuery::with_filter(filter)).await?
        },
        None => DeletionTargets::resolve::<E>(client, &arguments.names).await?,
    };
    deletion::run::<E>(context, session, targets, &arguments.deletion).await
}
