//! `portcullis enrollment list`.

use crate::commands::identity_filter::OwnedListArgs;
use crate::commands::pagination;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis enrollment list
  portcullis enrollment list --identity laptop
  portcullis enrollment list --filter 'createdAt < datetime(2031-01-02T00:00:00Z)' --all
  portcullis enrollment list --identity laptop --output json | jq -r '.data[0].jwt'";

/// Arguments of `enrollment list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    list: OwnedListArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    arguments
        .list
        .list::<EnrollmentDetail>(context, session)
        .await
}

impl Listable for EnrollmentDetail {
    const SINGULAR: &'static str = "enrollment";
    const PLURAL: &'static str = "enrollments";
    const COLUMNS: &'static [&'static str] = &["id", "method", "identity", "identity id", "until"];

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
        let identity = self.identity.as_ref();
        let identity_id = self.identity_id.as_ref();
        vec![
            self.base.id.to_string(),
            self.method.to_string(),
            identity.map_or_else(String::new, |identity| identity.name.clone()),
            identity_id.map_or_else(String::new, ToString::to_string),
            pagination::format_expiry(self.expires_at, now),
        ]
    }
}
