//! `portcullis ca list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use crate::resolve::Named;
use clap::Args;
use portcullis_api::ca::CaDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
The columns show whether the CA is verified, and whether its certificates can be used to log in,
to enroll with a token, and to create identities automatically.

Examples:
  portcullis ca list
  portcullis ca list --filter 'isVerified = false' --sort name --all";

/// Arguments of `ca list`.
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
    listing::run::<CaDetail>(context, &session.client, query, extent).await
}

impl Listable for CaDetail {
    const SINGULAR: &'static str = "CA";
    const PLURAL: &'static str = "CAs";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "name",
        "verified",
        "auth",
        "ottca",
        "autoca",
        "fingerprint",
    ];

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
        let yes = |is_so: bool| if is_so { "yes" } else { "" }.to_owned();
        vec![
            self.base.id.to_string(),
            self.name.clone(),
            yes(self.is_verified),
            yes(self.is_auth_enabled),
            yes(self.is_ott_ca_enrollment_enabled),
            yes(self.is_auto_ca_enrollment_enabled),
            self.fingerprint.clone(),
        ]
    }
}

impl Named for CaDetail {
    const LIST_COMMAND: &'static str = "portcullis ca list";

    fn name(&self) -> &str {
        &self.name
    }
}
