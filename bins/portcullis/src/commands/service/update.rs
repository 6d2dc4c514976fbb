//! `portcullis service update`.

use super::args::ServiceArgs;
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::service::ServiceDetail;

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis service update wiki --name handbook
  portcullis service update wiki --role-attributes intranet
  portcullis service update wiki --configs ''      # no configurations";

/// Update a service
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    service: NamedArgs,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    members: ServiceArgs,
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_nothing =
            self.name == NewNameArgs::default() && self.members == ServiceArgs::default();
        entities::require_changes::<ServiceDetail>(is_nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let name = self.name.new_name;
        let change = self.members.to_patch(&session.client, name).await?;
        entities::update::<ServiceDetail>(context, session, &self.service, &change).await
    }
}
