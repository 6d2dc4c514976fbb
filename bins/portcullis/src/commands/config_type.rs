//! `portcullis config-type`.

mod create;
mod show;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use portcullis_api::config_type::ConfigTypeDetail;

/// Help footer of `config-type`.
pub(crate) const EXAMPLES: &str = "\
A configuration type defines, by a JSON Schema, what its configurations must contain.

Examples:
  portcullis config-type list
  portcullis config-type show host.v1
  portcullis config-type create printer.v1 --file printer.schema.json";

const LIST_EXAMPLES: &str = "\
Examples:
  portcullis config-type list --sort name --all
  portcullis config-type list --filter 'name contains \"host\"'";

const SHOW_EXAMPLES: &str = "\
Examples:
  portcullis config-type show intercept.v1
  portcullis config-type show host.v1 --output json | jq .schema";

const DELETE_EXAMPLES: &str = "\
Types in use cannot be deleted. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis config-type delete printer.v1
  portcullis config-type delete --filter 'name contains \"test-\"' --dry-run";

/// Subcommands for configuration types.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigTypeCommand {
    /// Create a configuration type
    Create(create::CreateArgs),
    /// List configuration types
    #[command(visible_alias = "ls", after_long_help = LIST_EXAMPLES)]
    List(PageArgs),
    /// Show a configuration type with its schema
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show(NamedArgs),
    /// Update a configuration type
    Update(update::UpdateArgs),
    /// Delete unused configuration types
    #[command(visible_alias = "rm", after_long_help = DELETE_EXAMPLES)]
    Delete(NamedDeletionArgs),
}

impl ConfigTypeCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self {
            Self::Update(arguments) => arguments.check(),
            Self::Create(_) | Self::List(_) | Self::Show(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: ConfigTypeCommand,
) -> Result<(), CliError> {
    match command {
        ConfigTypeCommand::Create(arguments) => create::run(context, session, arguments).await,
        ConfigTypeCommand::List(page) => {
            entities::list::<ConfigTypeDetail>(context, session, page).await
        },
        ConfigTypeCommand::Show(arguments) => {
            entities::show::<ConfigTypeDetail>(context, session, &arguments).await
        },
        ConfigTypeCommand::Update(arguments) => update::run(context, session, arguments).await,
        ConfigTypeCommand::Delete(arguments) => {
            named_deletion::run::<ConfigTypeDetail>(context, session, &arguments).await
        },
    }
}
