//! `portcullis identity role-attributes`.

use crate::commands::listing::{self, Extent};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed;
use clap::Args;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;
use serde::Serialize;

const EXAMPLES: &str = "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis identity role-attributes
  portcullis identity role-attributes --filter 'id contains \"sal\"'
  portcullis identity role-attributes --filter 'true limit 20' --output json";

/// Arguments of `identity role-attributes`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RoleAttributesArgs {
    /// List only what matches, for example `id contains "sal"`
    #[arg(long)]
    filter: Option<String>,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: RoleAttributesArgs,
) -> Result<(), CliError> {
    let query = ListQuery {
        filter: arguments.filter,
        ..ListQuery::default()
    };
    // Controllers give all of them at once.
    listing::run::<RoleAttribute>(context, &session.client, query, Extent::Page).await
}

/// A role attribute that identities have.
#[derive(Serialize)]
#[serde(transparent)]
struct RoleAttribute(String);

impl Listed for RoleAttribute {
    const SINGULAR: &'static str = "role attribute";
    const PLURAL: &'static str = "role attributes";
    const COLUMNS: &'static [&'static str] = &["attribute"];

    async fn fetch(client: &Client, query: &ListQuery) -> Result<ListEnvelope<Self>, ClientError> {
        let ListEnvelope { data, meta } = client.identity_role_attributes(query).await?;
        let data = data.into_iter().map(Self).collect();
        Ok(ListEnvelope { data, meta })
    }

    fn id(&self) -> &str {
        &self.0
    }

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        vec![self.0.clone()]
    }
}
