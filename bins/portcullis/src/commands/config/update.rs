//! `portcullis config update`.

use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::object_args::DataArgs;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::config::{ConfigDetail, ConfigPatch};

const EXAMPLES: &str = "\
Only the given options are changed; the data is replaced as a whole.

Examples:
  portcullis config update wiki-host --file host.yml
  portcullis config update wiki-host --name handbook-host";

/// Update a configuration
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    config: NamedArgs<ConfigDetail>,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_nothing =
            self.name == NewNameArgs::default() && !self.data.is_given() && self.tags.is_empty();
        entities::require_changes::<ConfigDetail>(is_nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let change = ConfigPatch {
            data: self.data.read()?,
            name: self.name.new_name,
            tags: None,
        };
        entities::update::<ConfigDetail>(context, session, &self.config, change, &self.tags).await
    }
}
