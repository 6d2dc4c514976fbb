//! `portcullis ext-jwt-signer delete`.

use crate::commands::deletion::Deletable;
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::external_jwt_signer::ExternalJwtSignerDetail;
use portcullis_client::{Client, ClientError};
use portcullis_domain::ids::SignerId;

const EXAMPLES: &str = "\
JWTs of a deleted signer are no longer accepted, and the sessions that they opened end. Signers that
a policy uses cannot be deleted. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis ext-jwt-signer delete okta
  portcullis ext-jwt-signer delete --filter 'enabled = false' --dry-run";

/// Arguments of `ext-jwt-signer delete`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    deletion: NamedDeletionArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: DeleteArgs,
) -> Result<(), CliError> {
    named_deletion::run::<ExternalJwtSignerDetail>(context, session, &arguments.deletion).await
}

impl Deletable for ExternalJwtSignerDetail {
    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        resolve::by_id_or_name(client, text).await
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        client
            .delete_entity::<ExternalJwtSignerDetail>(&SignerId::from_wire(id))
            .await
    }
}
