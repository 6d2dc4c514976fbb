//! `portcullis revocation list`.

use super::kind;
use crate::commands::listing;
use crate::commands::pagination::{self, PageArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use clap::Args;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::revocation::RevocationDetail;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis revocation list --sort 'createdAt desc'
  portcullis revocation list --filter 'type = \"IDENTITY\"' --all";

/// Arguments of `revocation list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let (query, extent) = arguments.page.query();
    listing::run::<RevocationDetail>(context, &session.client, query, extent).await
}

impl Listable for RevocationDetail {
    const SINGULAR: &'static str = "revocation";
    const PLURAL: &'static str = "revocations";
    const COLUMNS: &'static [&'static str] = &["id", "revoked", "since", "until"];

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
        vec![
            self.base.id.to_string(),
            kind::display(self.revoked).to_owned(),
            self.base.updated_at.to_string(),
            pagination::format_expiry(self.expires_at, now),
        ]
    }
}
