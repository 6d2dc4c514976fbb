//! `portcullis config-type update`.

use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::object_args::DataArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::config_type::{ConfigTypeDetail, ConfigTypePatch};

const EXAMPLES: &str = "\
Only the given options are changed. A new schema applies to configurations that are written later.

Examples:
  portcullis config-type update printer.v1 --file printer.schema.json
  portcullis config-type update printer.v1 --name printer.v0";

/// Arguments of `config-type update`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    config_type: NamedArgs,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    schema: DataArgs,
}

impl UpdateArgs {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default() && !self.schema.is_given();
        entities::require_changes::<ConfigTypeDetail>(is_nothing)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs,
) -> Result<(), CliError> {
    let change = ConfigTypePatch {
        name: arguments.name.new_name,
        schema: arguments.schema.read()?,
        tags: None,
    };
    entities::update::<ConfigTypeDetail>(context, session, &arguments.config_type, &change).await
}
