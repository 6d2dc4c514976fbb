//! Shared commands of named entity kinds.

use crate::commands::tags::{PatchTags, TagChangesArgs};
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::entity::{Entity, EntityKind};
use crate::error::{CliError, refusal};
use crate::listable::Listable as _;
use crate::names::Names;
use crate::shell;
use clap::Args;
use portcullis_client::{Client, ClientError, Creatable, Patchable};
use portcullis_domain::ids::EntityId as _;
use std::marker::PhantomData;

/// Reference to an entity.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamedArgs<E: Entity> {
    /// Id or name, as shown by `list`
    #[arg(value_name = "NAME", add = Values::one::<E>())]
    pub(crate) text: String,

    #[arg(skip)]
    kind: PhantomData<fn() -> E>,
}

/// New name of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct NewNameArgs {
    /// New name
    #[arg(long = "name", value_name = "NEW_NAME")]
    pub(crate) new_name: Option<String>,
}

/// Creates an entity and shows it.
pub(crate) async fn create<E: Entity + Creatable>(
    context: &Context,
    session: &Session,
    body: &E::Create,
) -> Result<(), CliError> {
    let created = create_and_fetch::<E>(&session.client, body).await?;
    show_entity(context, &session.client, &created).await
}

/// Creates an entity and fetches the result.
pub(crate) async fn create_and_fetch<E: Entity + Creatable>(
    client: &Client,
    body: &E::Create,
) -> Result<E, CliError> {
    let created = client.create_entity::<E>(body).await;
    let id = created.map_err(refused_change::<E>)?;
    client.entity(&id).await.map_err(|error| {
        let id = id.as_str();
        CliError::from(error).hint(format!("the {} was created with id {id}", E::SHORT_NOUN))
    })
}

/// Changes the entity that `arguments` refer to, and shows it.
pub(crate) async fn update<E: Entity + Patchable>(
    context: &Context,
    session: &Session,
    arguments: &NamedArgs<E>,
    change: E::Patch,
    tags: &TagChangesArgs,
) -> Result<(), CliError>
where
    E::Patch: PatchTags,
{
    let found = E::find(&session.client, &arguments.text).await?;
    patch(context, session, &found, change, tags).await
}

/// Changes an entity and shows it.
pub(crate) async fn patch<E: Entity + Patchable>(
    context: &Context,
    session: &Session,
    found: &E,
    mut change: E::Patch,
    tags: &TagChangesArgs,
) -> Result<(), CliError>
where
    E::Patch: PatchTags,
{
    let tags = found.base().and_then(|base| tags.apply(&base.tags));
    if let Some(tags) = tags {
        change.set_tags(tags);
    }
    patch_and_show::<E>(context, session, found.entity_id(), &change).await
}

/// Changes the entity with an id and shows it.
pub(crate) async fn patch_and_show<E: Entity + Patchable>(
    context: &Context,
    session: &Session,
    id: &E::Id,
    change: &E::Patch,
) -> Result<(), CliError> {
    send_patch::<E>(&session.client, id, change).await?;
    fetch_and_show::<E>(context, session, id).await
}

/// Changes an entity.
pub(crate) async fn send_patch<E: EntityKind + Patchable>(
    client: &Client,
    id: &E::Id,
    change: &E::Patch,
) -> Result<(), CliError> {
    let changed = client.patch_entity::<E>(id, change).await;
    changed.map_err(refused_change::<E>)
}

/// Converts a failed creation or update. If the name is taken, the hint leads to its owner.
pub(crate) fn refused_change<E: EntityKind>(error: ClientError) -> CliError {
    match error.refusal().and_then(refusal::taken_name) {
        Some(name) => {
            let noun = with_article(E::SINGULAR);
            CliError::failed(format!("{noun} named `{name}` exists already"))
                .hint(format!(
                    "see it with `portcullis {} show {}`",
                    E::COMMAND,
                    shell::quote(name)
                ))
                .of_request(error.refusal())
        },
        None => error.into(),
    }
}

/// The noun of a kind with its article.
fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// Shows the current state of an entity.
pub(crate) async fn fetch_and_show<E: Entity>(
    context: &Context,
    session: &Session,
    id: &E::Id,
) -> Result<(), CliError> {
    let found: E = session.client.entity(id).await?;
    show_entity(context, &session.client, &found).await
}

/// Rejects an update without changes.
pub(crate) fn require_changes<E: Entity>(is_empty: bool) -> Result<(), CliError> {
    if is_empty {
        let command = E::COMMAND;
        return Err(CliError::usage("nothing to change: no options were given")
            .hint(format!("see `portcullis {command} update --help`")));
    }
    Ok(())
}

/// Writes an entity as the result.
pub(crate) async fn show_entity<E: Entity>(
    context: &Context,
    client: &Client,
    found: &E,
) -> Result<(), CliError> {
    show_entity_and_next(context, client, found, None).await
}

/// Writes an entity as the result, with the command that probably follows.
pub(crate) async fn show_entity_and_next<E: Entity>(
    context: &Context,
    client: &Client,
    found: &E,
    next: Option<String>,
) -> Result<(), CliError> {
    let output = context.output;
    let names = if output.is_for_programs() {
        Names::default()
    } else {
        found.fetch_names(client).await
    };
    output.write_entity(found.reference(), found, || {
        found.table(context.now(), &names).next(next)
    })
}
