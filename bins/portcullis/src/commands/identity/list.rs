//! `portcullis identity list`.

use super::identity_type::{self, IdentityType, TYPE_TAG};
use super::state;
use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::commands::role_filter::RoleFilterArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use crate::resolve::Named;
use clap::Args;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis identity list --sort 'createdAt desc' --limit 100
  portcullis identity list --type device --all
  portcullis identity list --role sales --role berlin
  portcullis identity list --filter 'name contains \"lap\" and isAdmin = false'
  portcullis identity list --all --output json | jq -r '.data[].name'";

/// Arguments of `identity list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    /// List only identities with this type
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<IdentityType>,

    #[command(flatten)]
    roles: RoleFilterArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let (mut query, extent) = arguments.page.query();
    if let Some(kind) = arguments.kind {
        query = query.and(&format!("tags.{TYPE_TAG} = \"{}\"", kind.name()));
    }
    let query = arguments.roles.apply(query);
    listing::run::<IdentityDetail>(context, &session.client, query, extent).await
}

impl Listable for IdentityDetail {
    const SINGULAR: &'static str = "identity";
    const PLURAL: &'static str = "identities";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "type", "state", "admin", "totp", "attributes"];

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        client.entities(query).await
    }

    fn id(&self) -> &str {
        self.base.id.as_str()
    }

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let attributes: Vec<_> = self.role_attributes.iter().collect();
        let is_admin = self.is_admin || self.is_default_admin;
        vec![
            self.base.id.to_string(),
            self.name.clone(),
            identity_type::display_type(self).to_owned(),
            state::display(self, now).to_owned(),
            if is_admin { "yes" } else { "" }.to_owned(),
            if self.is_mfa_enabled { "yes" } else { "" }.to_owned(),
            attributes.join(","),
        ]
    }
}

impl Named for IdentityDetail {
    const LIST_COMMAND: &'static str = "portcullis identity list";

    fn name(&self) -> &str {
        &self.name
    }
}
