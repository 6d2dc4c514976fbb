//! `portcullis authenticator list`.

use crate::commands::identity_filter::OwnedListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use clap::Args;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis authenticator list
  portcullis authenticator list --identity laptop
  portcullis authenticator list --filter 'method = \"updb\"' --sort 'createdAt desc' --all";

/// Arguments of `authenticator list`.
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
        .list::<AuthenticatorDetail>(context, session)
        .await
}

impl Listable for AuthenticatorDetail {
    const SINGULAR: &'static str = "authenticator";
    const PLURAL: &'static str = "authenticators";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "method",
        "identity",
        "identity id",
        "username",
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
        vec![
            self.base.id.to_string(),
            self.method.to_string(),
            self.identity.name.clone(),
            self.identity_id.to_string(),
            self.username.clone().unwrap_or_default(),
            self.fingerprint.clone().unwrap_or_default(),
        ]
    }
}
