//! `portcullis session delete`.

use crate::commands::entity_command::Deletable as _;
use crate::commands::identity_filter::OwnedDeletionArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_client::Api;

#[derive(Debug, Args)]
#[command(about = ApiSessionDetail::DELETE.about, after_long_help = ApiSessionDetail::DELETE.examples)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    deletion: OwnedDeletionArgs<ApiSessionDetail>,
}

impl Verb for DeleteArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let deletion = self.deletion;
        let mut targets = deletion.targets(client).await?;
        // Deleting the own session earlier would end the command.
        let own = client.current_session(Api::Client).await?;
        targets.move_to_end(own.base.id.as_str());
        deletion.delete_targets(context, session, targets).await
    }
}
