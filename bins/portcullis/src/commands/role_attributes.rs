//! The role attributes that members of a kind have.

use crate::commands::listing::{self, Extent};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed;
use clap::Args;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::service::ServiceDetail;
use portcullis_client::{Bearer, Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;
use serde::{Serialize, Serializer};
use std::marker::PhantomData;

/// Which role attributes are wanted.
#[derive(Debug, Args)]
pub(crate) struct RoleAttributesArgs {
    /// List only what matches, for example `id contains "sal"`
    #[arg(long)]
    filter: Option<String>,
}

/// A kind whose members have role attributes.
pub(crate) trait Bears {
    /// What it is called in requests.
    const BEARER: Bearer;
}

impl Bears for IdentityDetail {
    const BEARER: Bearer = Bearer::Identity;
}

impl Bears for ServiceDetail {
    const BEARER: Bearer = Bearer::Service;
}

impl Bears for EdgeRouterDetail {
    const BEARER: Bearer = Bearer::EdgeRouter;
}

impl Bears for PostureCheckDetail {
    const BEARER: Bearer = Bearer::PostureCheck;
}

/// Lists the role attributes that members of a kind have.
pub(crate) async fn list<B: Bears>(
    context: &Context,
    session: &Session,
    arguments: RoleAttributesArgs,
) -> Result<(), CliError> {
    let query = ListQuery {
        filter: arguments.filter,
        ..ListQuery::default()
    };
    // Controllers give all of them at once.
    listing::run::<RoleAttribute<B>>(context, &session.client, query, Extent::Page).await
}

/// A role attribute that members of a kind have.
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

impl<B: Bears> Listed for RoleAttribute<B> {
    const SINGULAR: &'static str = "role attribute";
    const PLURAL: &'static str = "role attributes";
    const COLUMNS: &'static [&'static str] = &["attribute"];

    async fn fetch(client: &Client, query: &ListQuery) -> Result<ListEnvelope<Self>, ClientError> {
        let ListEnvelope { data, meta } = client.role_attributes(B::BEARER, query).await?;
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
