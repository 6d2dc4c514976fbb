//! `portcullis config update`.

use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::object_args::DataArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::config::{ConfigDetail, ConfigPatch};

const EXAMPLES: &str = "\
Only the given options are changed; the data is replaced as a whole.

Examples:
  portcullis config update wiki-host --file host.yml
  portcullis config update wiki-host --name handbook-host";

/// Arguments of `config update`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    config: NamedArgs,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    data: DataArgs,
}

impl UpdateArgs {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default() && !self.data.is_given();
        entities::require_changes::<ConfigDetail>(is_nothing)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs,
) -> Result<(), CliError> {
    let change = ConfigPatch {
        data: arguments.data.read()?,
        name: arguments.name.new_name,
        tags: None,
    };
    entities::update::<ConfigDetail>(context, session, &arguments.config, &change).await
}
