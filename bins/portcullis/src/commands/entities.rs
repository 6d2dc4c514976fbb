//! What every kind with names lets people do, in the same way.

use crate::commands::listing;
use crate::commands::page::PageArgs;
use crate::context::{Context, Session};
use crate::entity::{self, Entity};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_client::Client;
use portcullis_domain::ids::EntityId as _;

/// Which one is meant.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamedArgs {
    /// Id or name, as `list` shows them
    #[arg(value_name = "NAME")]
    pub(crate) text: String,
}

/// A new name for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct NewNameArgs {
    /// A new name
    #[arg(long = "name", value_name = "NEW_NAME")]
    pub(crate) new_name: Option<String>,
}

/// Lists entities.
pub(crate) async fn list<E: Entity>(
    context: &Context,
    session: &Session,
    page: PageArgs,
) -> Result<(), CliError> {
    let (query, extent) = page.query();
    listing::run::<E>(context, &session.client, query, extent).await
}

/// Shows one entity.
pub(crate) async fn show<E: Entity>(
    context: &Context,
    session: &Session,
    arguments: &NamedArgs,
) -> Result<(), CliError> {
    let found: E = resolve::one(&session.client, &arguments.text).await?;
    write(context, &found)
}

/// Creates an entity and shows it.
pub(crate) async fn create<E: Entity>(
    context: &Context,
    session: &Session,
    body: &E::Create,
) -> Result<(), CliError> {
    let created = create_only::<E>(&session.client, body).await?;
    write(context, &created)
}

/// Creates an entity and fetches it.
pub(crate) async fn create_only<E: Entity>(
    client: &Client,
    body: &E::Create,
) -> Result<E, CliError> {
    let created = client.create_entity::<E>(body).await?;
    let id = E::Id::from_wire(created.id);
    client.entity(&id).await.map_err(|error| {
        let id = id.as_str();
        CliError::from(error).hint(format!("the {} was created, with the id {id}", E::SINGULAR))
    })
}

/// Changes an entity and shows it.
pub(crate) async fn update<E: Entity>(
    context: &Context,
    session: &Session,
    arguments: &NamedArgs,
    change: &E::Merge,
) -> Result<(), CliError> {
    let client = &session.client;
    let found: E = resolve::one(client, &arguments.text).await?;
    client.patch_entity::<E>(&found.base().id, change).await?;
    let changed: E = client.entity(&found.base().id).await?;
    write(context, &changed)
}

/// Refuses a change that changes nothing.
pub(crate) fn refuse_nothing<E: Entity>(is_nothing: bool) -> Result<(), CliError> {
    if is_nothing {
        let command = E::COMMAND;
        return Err(CliError::usage("there is nothing to change")
            .hint(format!("see `portcullis {command} update --help`")));
    }
    Ok(())
}

/// Writes an entity.
pub(crate) fn write<E: Entity>(context: &Context, found: &E) -> Result<(), CliError> {
    let now = context.now();
    context.output.result(found, || entity::table(found, now))
}
