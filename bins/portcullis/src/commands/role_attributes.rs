//! `role-attributes` subcommands.

use crate::commands::listing;
use crate::commands::pagination::ListExtent;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use clap::Args;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::service::ServiceDetail;
use portcullis_client::{Client, ClientError, ListQuery, RoleAttributeKind};
use portcullis_domain::clock::Timestamp;
use serde::{Serialize, Serializer};
use std::marker::PhantomData;

/// Arguments of `role-attributes`.
#[derive(Debug, Args)]
pub(crate) struct RoleAttributesArgs {
    /// List only matching attributes, for example `id contains "sal"`
    #[arg(long)]
    filter: Option<String>,
}

/// An entity kind with role attributes.
pub(crate) trait HasRoleAttributes {
    /// The kind in requests.
    const OWNER: RoleAttributeKind;
}

impl HasRoleAttributes for IdentityDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::Identity;
}

impl HasRoleAttributes for ServiceDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::Service;
}

impl HasRoleAttributes for EdgeRouterDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::EdgeRouter;
}

impl HasRoleAttributes for PostureCheckDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::PostureCheck;
}

/// Lists the role attributes of a kind.
pub(crate) async fn list<B: HasRoleAttributes>(
    context: &Context,
    session: &Session,
    arguments: RoleAttributesArgs,
) -> Result<(), CliError> {
    let query = ListQuery {
        filter: arguments.filter,
        ..ListQuery::default()
    };
    // Controllers return all of them at once.
    listing::run::<RoleAttribute<B>>(context, &session.client, query, ListExtent::Page).await
}

/// A role attribute of a kind.
struct RoleAttribute<B> {
    word: String,
    kind: PhantomData<fn() -> B>,
}

impl<B> From<String> for RoleAttribute<B> {
    fn from(word: String) -> Self {
        Self {
            word,
            kind: PhantomData,
        }
    }
}

impl<B> Serialize for RoleAttribute<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.word)
    }
}

impl<B: HasRoleAttributes> Listable for RoleAttribute<B> {
    const SINGULAR: &'static str = "role attribute";
    const PLURAL: &'static str = "role attributes";
    const COLUMNS: &'static [&'static str] = &["attribute"];

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        let ListEnvelope { data, meta } = client.role_attributes(B::OWNER, query).await?;
        let data = data.into_iter().map(Self::from).collect();
        Ok(ListEnvelope { data, meta })
    }

    fn id(&self) -> &str {
        &self.word
    }

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        vec![self.word.clone()]
    }
}
