//! `portcullis config-type update`.

use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::object_args::DataArgs;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::config_type::{ConfigTypeDetail, ConfigTypePatch};

const EXAMPLES: &str = "\
Only the given options are changed. A new schema applies to configurations that are written later.

Examples:
  portcullis config-type update printer.v1 --file printer.schema.json
  portcullis config-type update printer.v1 --name printer.v0";

/// Update a configuration type
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    config_type: NamedArgs<ConfigTypeDetail>,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    schema: DataArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_nothing =
            self.name == NewNameArgs::default() && !self.schema.is_given() && self.tags.is_empty();
        entities::require_changes::<ConfigTypeDetail>(is_nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let change = ConfigTypePatch {
            name: self.name.new_name,
            schema: self.schema.read()?,
            tags: None,
        };
        entities::update::<ConfigTypeDetail>(
            context,
            session,
            &self.config_type,
            change,
            &self.tags,
        )
        .await
    }
}
