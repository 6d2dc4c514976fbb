//! `role-attributes` subcommands.

use crate::column::{Column, Tabular};
use crate::commands::columns::ColumnArgs;
use crate::commands::entity_command::VerbHelp;
use crate::commands::listing::Listing;
use crate::commands::pagination::ListExtent;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::{ListOrder, Listable};
use clap::{Args, Subcommand};
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::service::ServiceDetail;
use portcullis_client::{Client, ClientError, ListQuery, RoleAttributeKind};
use serde::{Serialize, Serializer};
use std::marker::PhantomData;

/// An entity kind with role attributes.
pub(crate) trait HasRoleAttributes: 'static {
    /// The kind in requests.
    const OWNER: RoleAttributeKind;
    const ROLE_ATTRIBUTES: VerbHelp;
}

impl HasRoleAttributes for IdentityDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::Identity;
    const ROLE_ATTRIBUTES: VerbHelp = VerbHelp {
        about: "List the role attributes of identities",
        examples: "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis identity role-attributes
  portcullis identity role-attributes --filter 'id contains \"sal\"'
  portcullis identity role-attributes --filter 'true limit 20' --output json",
    };
}

impl HasRoleAttributes for ServiceDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::Service;
    const ROLE_ATTRIBUTES: VerbHelp = VerbHelp {
        about: "List the role attributes of services",
        examples: "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis service role-attributes
  portcullis service role-attributes --filter 'id contains \"sal\"'
  portcullis service role-attributes --filter 'true limit 20' --output json",
    };
}

impl HasRoleAttributes for EdgeRouterDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::EdgeRouter;
    const ROLE_ATTRIBUTES: VerbHelp = VerbHelp {
        about: "List the role attributes of edge routers",
        examples: "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis edge-router role-attributes
  portcullis edge-router role-attributes --filter 'id contains \"sal\"'
  portcullis edge-router role-attributes --filter 'true limit 20' --output json",
    };
}

impl HasRoleAttributes for PostureCheckDetail {
    const OWNER: RoleAttributeKind = RoleAttributeKind::PostureCheck;
    const ROLE_ATTRIBUTES: VerbHelp = VerbHelp {
        about: "List the role attributes of posture checks",
        examples: "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis posture-check role-attributes
  portcullis posture-check role-attributes --filter 'id contains \"desk\"'",
    };
}

/// The further subcommand of kinds with role attributes.
#[derive(Debug, Subcommand)]
pub(crate) enum RoleAttributesCommand<B: HasRoleAttributes> {
    #[command(display_order = 21)]
    RoleAttributes(RoleAttributesArgs<B>),
}

impl<B: HasRoleAttributes> Verb for RoleAttributesCommand<B> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let Self::RoleAttributes(verb) = self;
        verb.run(context, session).await
    }
}

/// Arguments of `role-attributes`.
#[derive(Debug, Args)]
#[command(about = B::ROLE_ATTRIBUTES.about, after_long_help = B::ROLE_ATTRIBUTES.examples)]
pub(crate) struct RoleAttributesArgs<B: HasRoleAttributes> {
    /// List only matching attributes, for example `id contains "sal"`
    #[arg(long)]
    filter: Option<String>,

    #[command(flatten)]
    columns: ColumnArgs<RoleAttribute<B>>,
}

impl<B: HasRoleAttributes> Verb for RoleAttributesArgs<B> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let query = ListQuery {
            filter: self.filter,
            ..ListQuery::default()
        };
        let listing = Listing {
            query,
            // Controllers return all of them at once.
            extent: ListExtent::Page,
            columns: self.columns.choice(),
        };
        listing
            .run::<RoleAttribute<B>>(context, &session.client)
            .await
    }
}

/// A role attribute of a kind.
#[derive(Debug, Clone)]
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

impl<B: HasRoleAttributes> Tabular for RoleAttribute<B> {
    fn columns() -> Vec<Column<Self>> {
        vec![Column::new(
            "attribute",
            "attribute",
            |attribute: &Self, _| attribute.word.as_str().into(),
        )]
    }
}

impl<B: HasRoleAttributes> Listable for RoleAttribute<B> {
    const SINGULAR: &'static str = "role attribute";
    const PLURAL: &'static str = "role attributes";
    const ORDER: ListOrder = ListOrder::Controller;

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
}
