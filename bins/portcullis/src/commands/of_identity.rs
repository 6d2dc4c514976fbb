//! Choosing what belongs to one identity.

use crate::commands::deletion::{self, Deletable, DeletionArgs, Targets};
use crate::commands::listing;
use crate::commands::page::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed;
use crate::resolve;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ListQuery, quote};

/// Whose things are meant.
#[derive(Debug, Clone, Args)]
pub(crate) struct OfIdentityArgs {
    /// Only what belongs to this identity, by name or id
    #[arg(long, value_name = "IDENTITY")]
    identity: Option<String>,
}

/// Which part of a list is wanted, of all or of what belongs to one identity.
#[derive(Debug, Args)]
pub(crate) struct OwnedPageArgs {
    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    owner: OfIdentityArgs,
}

impl OwnedPageArgs {
    /// Lists that part.
    pub(crate) async fn list<L: Listed>(
        self,
        context: &Context,
        session: &Session,
    ) -> Result<(), CliError> {
        let client = &session.client;
        let (query, extent) = self.page.query();
        let query = self.owner.narrow(client, query).await?;
        listing::run::<L>(context, client, query, extent).await
    }
}

/// What to delete, by id, or by owner and filter.
#[derive(Debug, Args)]
pub(crate) struct OwnedDeletionArgs {
    /// Ids, as `list` shows them
    #[arg(
        required_unless_present_any = ["filter", "identity"],
        conflicts_with_all = ["filter", "identity"],
        value_name = "ID"
    )]
    ids: Vec<String>,

    #[command(flatten)]
    owner: OfIdentityArgs,

    #[command(flatten)]
    deletion: DeletionArgs,
}

impl OwnedDeletionArgs {
    /// Deletes it.
    pub(crate) async fn delete<D: Deletable>(
        self,
        context: &Context,
        session: &Session,
    ) -> Result<(), CliError> {
        let targets = self.targets::<D>(&session.client).await?;
        self.delete_these::<D>(context, session, targets).await
    }

    /// Finds it.
    pub(crate) async fn targets<D: Deletable>(&self, client: &Client) -> Result<Targets, CliError> {
        if !self.ids.is_empty() {
            return Targets::named::<D>(client, &self.ids).await;
        }
        let query = ListQuery {
            filter: self.deletion.filter.clone(),
            ..ListQuery::default()
        };
        let query = self.owner.narrow(client, query).await?;
        Targets::found::<D>(client, query).await
    }

    /// Deletes what was found.
    pub(crate) async fn delete_these<D: Deletable>(
        self,
        context: &Context,
        session: &Session,
        targets: Targets,
    ) -> Result<(), CliError> {
        deletion::run::<D>(context, session, targets, &self.deletion).await
    }
}

impl OfIdentityArgs {
    /// Narrows a list to what belongs to the identity, if one is named.
    pub(crate) async fn narrow(
        &self,
        client: &Client,
        query: ListQuery,
    ) -> Result<ListQuery, CliError> {
        let Some(text) = &self.identity else {
            return Ok(query);
        };
        let identity: IdentityDetail = resolve::one(client, text).await?;
        let id = quote(identity.base.id.as_str());
        Ok(query.and(&format!("identity = {id}")))
    }
}
