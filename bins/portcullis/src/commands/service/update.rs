//! `portcullis service update`.

use super::args::ServiceArgs;
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::service::ServiceDetail;

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis service update wiki --name handbook
  portcullis service update wiki --role-attributes intranet
  portcullis service update wiki --configs ''      # no configurations";

/// Arguments of `service update`.
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

impl UpdateArgs {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let is_nothing =
            self.name == NewNameArgs::default() && self.members == ServiceArgs::default();
        entities::require_changes::<ServiceDetail>(is_nothing)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs,
) -> Result<(), CliError> {
    let name = arguments.name.new_name;
    let change = arguments.members.to_patch(&session.client, name).await?;
    entities::update::<ServiceDetail>(context, session, &arguments.service, &change).await
}
