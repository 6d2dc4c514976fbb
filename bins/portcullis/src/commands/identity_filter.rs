//! `--identity` filters.

use crate::commands::deletion::{self, DeletionArgs, DeletionTargets};
use crate::commands::entity_command::{Deletable, ListFilter};
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::entity::Entity;
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ListQuery, quote};
use std::marker::PhantomData;

/// Identity to filter by.
#[derive(Debug, Clone, Args)]
pub(crate) struct IdentityFilterArgs {
    /// Select only entries of this identity, by id or name
    #[arg(long, value_name = "IDENTITY", add = Values::one::<IdentityDetail>())]
    identity: Option<String>,
}

/// Entities to delete, by id, identity or filter.
#[derive(Debug, Args)]
pub(crate) struct OwnedDeletionArgs<E: Entity> {
    /// Ids, as shown by `list`
    #[arg(
        required_unless_present_any = ["filter", "identity"],
        conflicts_with_all = ["filter", "identity"],
        value_name = "ID",
        add = Values::one::<E>()
    )]
    ids: Vec<String>,

    #[command(flatten)]
    owner: IdentityFilterArgs,

    #[command(flatten)]
    deletion: DeletionArgs,

    #[arg(skip)]
    kind: PhantomData<fn() -> E>,
}

impl<E: Entity> OwnedDeletionArgs<E> {
    /// Finds the entities to delete.
    pub(crate) async fn targets(&self, client: &Client) -> Result<DeletionTargets, CliError> {
        if !self.ids.is_empty() {
            return DeletionTargets::resolve::<E>(client, &self.ids).await;
        }
        let query = ListQuery {
            filter: self.deletion.filter.clone(),
            ..ListQuery::default()
        };
        let query = self.owner.apply(client, query).await?;
        DeletionTargets::from_query::<E>(client, query).await
    }

    /// Deletes `targets`.
    pub(crate) async fn delete_targets(
        self,
        context: &Context,
        session: &Session,
        targets: DeletionTargets,
    ) -> Result<(), CliError> {
        deletion::run::<E>(context, session, targets, &self.deletion).await
    }
}

/// Arguments of `delete` for entities that belong to identities.
#[derive(Debug, Args)]
#[command(about = E::DELETE.about, after_long_help = E::DELETE.examples)]
pub(crate) struct OwnedDeleteArgs<E: Deletable> {
    #[command(flatten)]
    deletion: OwnedDeletionArgs<E>,
}

impl<E: Deletable> Verb for OwnedDeleteArgs<E> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let deletion = self.deletion;
        let targets = deletion.targets(&session.client).await?;
        deletion.delete_targets(context, session, targets).await
    }
}

impl ListFilter for IdentityFilterArgs {
    async fn apply(&self, client: &Client, query: ListQuery) -> Result<ListQuery, CliError> {
        let Some(text) = &self.identity else {
            return Ok(query);
        };
        let identity: IdentityDetail = resolve::by_id_or_name(client, text).await?;
        let id = quote(identity.base.id.as_str());
        Ok(query.and(&format!("identity = {id}")))
    }
}
