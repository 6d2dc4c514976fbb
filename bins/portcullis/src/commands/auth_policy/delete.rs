//! `portcullis auth-policy delete`.

use crate::commands::deletion::Deletable;
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_client::{Client, ClientError};
use portcullis_domain::ids::AuthPolicyId;

const EXAMPLES: &str = "\
The policy `Default` and policies in use by identities or signers cannot be deleted. Deleting
several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis auth-policy delete staff
  portcullis auth-policy delete --filter 'name contains \"test-\"' --dry-run";

/// Arguments of `auth-policy delete`.
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
    named_deletion::run::<AuthPolicyDetail>(context, session, &arguments.deletion).await
}

impl Deletable for AuthPolicyDetail {
    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        resolve::by_id_or_name(client, text).await
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        client
            .delete_entity::<AuthPolicyDetail>(&AuthPolicyId::from_wire(id))
            .await
    }
}
