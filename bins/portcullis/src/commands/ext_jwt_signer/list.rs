//! `portcullis ext-jwt-signer list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use crate::resolve::Named;
use clap::Args;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::external_jwt_signer::{ClientExternalJwtSignerDetail, ExternalJwtSignerDetail};
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis ext-jwt-signer list
  portcullis ext-jwt-signer list --public            # what clients can see before logging in
  portcullis ext-jwt-signer list --filter 'enabled = true' --sort name --all";

/// Arguments of `ext-jwt-signer list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    /// List the enabled signers, as clients see them before logging in
    #[arg(long)]
    public: bool,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let (query, extent) = arguments.page.query();
    let client = &session.client;
    if arguments.public {
        listing::run::<ClientExternalJwtSignerDetail>(context, client, query, extent).await
    } else {
        listing::run::<ExternalJwtSignerDetail>(context, client, query, extent).await
    }
}

impl Listable for ExternalJwtSignerDetail {
    const SINGULAR: &'static str = "external signer";
    const PLURAL: &'static str = "external signers";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "enabled", "issuer", "audience", "keys"];

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        client.entities(query).await
    }

    fn id(&self) -> &str {
        self.base.id.as_str()
    }

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        vec![
            self.base.id.to_string(),
            self.name.clone(),
            if self.enabled { "yes" } else { "" }.to_owned(),
            self.issuer.clone(),
            self.audience.clone(),
            super::show::keys(self),
        ]
    }
}

impl Named for ExternalJwtSignerDetail {
    const LIST_COMMAND: &'static str = "portcullis ext-jwt-signer list";

    fn name(&self) -> &str {
        &self.name
    }
}
