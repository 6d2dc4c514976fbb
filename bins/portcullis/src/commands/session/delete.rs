//! `portcullis session delete`.

use crate::commands::deletion::Deletable;
use crate::commands::of_identity::OwnedDeletionArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_client::{Client, ClientError};
use portcullis_domain::ids::ApiSessionId;

const EXAMPLES: &str = "\
A session that is deleted is over at once; its holder may log in again. Several, and what --filter
or --identity finds, are deleted only after a question, or with --yes.

Examples:
  portcullis session delete cmf0a1b2c3d4e5f6g7h8i9j0k
  portcullis session delete --identity laptop --yes
  portcullis session delete --filter 'lastActivityAt < datetime(2031-01-02T00:00:00Z)' --dry-run";

/// Arguments of `session delete`.
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
        .delete::<ApiSessionDetail>(context, session)
        .await
}

impl Deletable for ApiSessionDetail {
    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        Ok(client.api_session(&ApiSessionId::from_wire(text)).await?)
    }

    fn label(&self) -> String {
        format!("of {} from {}", self.identity.name, self.ip_address)
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        client
            .delete_api_session(&ApiSessionId::from_wire(id))
            .await
    }
}
