//! `portcullis auth-policy list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use crate::resolve::Named;
use clap::Args;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
The columns show whether identities may log in with certificates, passwords and JWTs, and
whether a TOTP code is also required.

Examples:
  portcullis auth-policy list
  portcullis auth-policy list --filter 'primary.updb.allowed = true' --sort name --all";

/// Arguments of `auth-policy list`.
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
    listing::run::<AuthPolicyDetail>(context, &session.client, query, extent).await
}

impl Listable for AuthPolicyDetail {
    const SINGULAR: &'static str = "authentication policy";
    const PLURAL: &'static str = "authentication policies";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "certificate", "password", "jwt", "totp"];

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
            yes(self.primary.cert.allowed),
            yes(self.primary.updb.allowed),
            yes(self.primary.ext_jwt.allowed),
            yes(self.secondary.require_totp),
        ]
    }
}

impl Named for AuthPolicyDetail {
    const LIST_COMMAND: &'static str = "portcullis auth-policy list";

    fn name(&self) -> &str {
        &self.name
    }
}
