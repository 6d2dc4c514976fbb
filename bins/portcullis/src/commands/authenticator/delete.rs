//! `portcullis authenticator delete`.

use crate::commands::deletion::Deletable;
use crate::commands::identity_filter::OwnedDeletionArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_client::{Client, ClientError};
use portcullis_domain::ids::AuthenticatorId;

const EXAMPLES: &str = "\
Logins with a deleted authenticator fail, and the sessions that it opened end at once. Deleting
several, or with --filter or --identity, asks for confirmation unless --yes is given.

Examples:
  portcullis authenticator delete v1kz.YB3Rs
  portcullis authenticator delete --identity laptop --yes
  portcullis authenticator delete --filter 'method = \"updb\"' --dry-run";

/// Arguments of `authenticator delete`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    deletion: OwnedDeletionArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: DeleteArgs,
) -> Result<(), CliError> {
    arguments
        .deletion
        .delete::<AuthenticatorDetail>(context, session)
        .await
}

impl Deletable for AuthenticatorDetail {
    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        Ok(client
            .entity::<AuthenticatorDetail>(&AuthenticatorId::from_wire(text))
            .await?)
    }

    fn label(&self) -> String {
        format!("{} of {}", self.method, self.identity.name)
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        client
            .delete_entity::<AuthenticatorDetail>(&AuthenticatorId::from_wire(id))
            .await
    }
}
