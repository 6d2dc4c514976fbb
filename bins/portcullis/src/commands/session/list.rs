//! `portcullis session list`.

use crate::commands::listing;
use crate::commands::of_identity::OfIdentityArgs;
use crate::commands::page::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
The documents for programs hold something in place of the token, which opens nothing.

Examples:
  portcullis session list
  portcullis session list --identity laptop
  portcullis session list --sort 'createdAt desc' --all --output json";

/// Arguments of `session list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    owner: OfIdentityArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let (query, extent) = arguments.page.query();
    let query = arguments.owner.narrow(client, query).await?;
    listing::run::<ApiSessionDetail>(context, client, query, extent).await
}

impl Listed for ApiSessionDetail {
    const SINGULAR: &'static str = "session";
    const PLURAL: &'static str = "sessions";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "identity",
        "identity id",
        "address",
        "opened",
        "last used",
    ];

    async fn fetch(client: &Client, query: &ListQuery) -> Result<ListEnvelope<Self>, ClientError> {
        client.api_sessions(query).await
    }

    fn id(&self) -> &str {
        self.base.id.as_str()
    }

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        // The store learns of uses later than the memory of the controller.
        let used = self.cached_last_activity_at.or(self.last_activity_at);
        vec![
            self.base.id.to_string(),
            self.identity.name.clone(),
            self.identity_id.to_string(),
            self.ip_address.clone(),
            self.base.created_at.to_string(),
            used.map_or_else(String::new, |used| used.to_string()),
        ]
    }
}
