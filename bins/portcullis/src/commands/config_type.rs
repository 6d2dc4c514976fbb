//! `portcullis config-type`.

mod create;
mod show;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::page::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use portcullis_api::config_type::ConfigTypeDetail;

/// Shown below the help of `config-type`.
pub(crate) const EXAMPLES: &str = "\
The type of a configuration says what it is for; its JSON Schema says what it must contain.

Examples:
  portcullis config-type list
  portcullis config-type show host.v1
  portcullis config-type create printer.v1 --file printer.schema.json";

const LIST: &str = "\
Examples:
  portcullis config-type list --sort name --all
  portcullis config-type list --filter 'name contains \"host\"'";

const SHOW: &str = "\
Examples:
  portcullis config-type show intercept.v1
  portcullis config-type show host.v1 --output json | jq .schema";

const DELETE: &str = "\
A type that is in use cannot be deleted. Several types, and what a filter matches, are deleted only
after a question, or with --yes.

Examples:
  portcullis config-type delete printer.v1
  portcullis config-type delete --filter 'name contains \"test-\"' --dry-run";

/// What to do with types of configurations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigTypeCommand {
    /// Create a type of configurations
    Create(create::CreateArgs),
    /// List the types of configurations
    #[command(visible_alias = "ls", after_long_help = LIST)]
    List(PageArgs),
    /// Show a type of configurations with its schema
    #[command(after_long_help = SHOW)]
    Show(NamedArgs),
    /// Change a type of configurations
    Update(update::UpdateArgs),
    /// Delete types that are not in use
    #[command(visible_alias = "rm", after_long_help = DELETE)]
    Delete(NamedDeletionArgs),
}

impl ConfigTypeCommand {
    /// Refuses arguments that make no sense together.
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
