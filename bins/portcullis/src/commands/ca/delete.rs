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
Enrollments that need its certificates are deleted with it. Identities that enrolled with them stay,
but can no longer log in with them. Several, and what a filter matches, are deleted only after a
question, or with --yes.

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
        resolve::one(client, text).await
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        client.delete_ca(&CaId::from_wire(id)).await
    }
}
