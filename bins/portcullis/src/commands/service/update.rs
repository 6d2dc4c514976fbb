//! `portcullis service update`.

use super::args::ServiceArgs;
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::tags::TagChangesArgs;
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
  portcullis service update wiki --tag owner=it --clear-tag trial
  portcullis service update wiki --configs ''      # no configurations";

/// Update a service
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    service: NamedArgs<ServiceDetail>,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    members: ServiceArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.members == ServiceArgs::default()
            && self.tags.is_empty();
        entities::require_changes::<ServiceDetail>(is_nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let name = self.name.new_name;
        let change = self.members.to_patch(&session.client, name).await?;
        entities::update::<ServiceDetail>(context, session, &self.service, change, &self.tags).await
    }
}
