//! `portcullis ca delete`.

use crate::commands::deletion::Deletable;
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::ca::CaDetail;
use portcullis_client::{Client, ClientError};
use portcullis_domain::ids::CaId;

const EXAMPLES: &str = "\
Pending enrollments for its certificates are deleted too. Identities that enrolled with one stay,
but can no longer log in with it. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis ca delete corporate
  portcullis ca delete --filter 'isVerified = false' --dry-run";

/// Arguments of `ca delete`.
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
    named_deletion::run::<CaDetail>(context, session, &arguments.deletion).await
}

impl Deletable for CaDetail {
    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        resolve::by_id_or_name(client, text).await
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        client.delete_entity::<CaDetail>(&CaId::from_wire(id)).await
    }
}
