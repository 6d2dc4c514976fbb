//! `portcullis config`.

mod create;
mod show;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use portcullis_api::config::ConfigDetail;

/// Help footer of `config`.
pub(crate) const EXAMPLES: &str = "\
A configuration tells the programs that dial or bind a service how to do so. The schema of its type
defines what it contains. A service has at most one configuration of each type.

Examples:
  portcullis config create wiki-host host.v1 --file host.yml
  portcullis config create wiki-intercept intercept.v1 --json '{\"protocols\": [\"tcp\"],
      \"addresses\": [\"wiki.test\"], \"portRanges\": [{\"low\": 80, \"high\": 80}]}'
  portcullis service create wiki --configs wiki-host,wiki-intercept";

const LIST_EXAMPLES: &str = "\
Examples:
  portcullis config list --sort name --all
  portcullis config list --filter 'name contains \"wiki\"'";

const SHOW_EXAMPLES: &str = "\
Examples:
  portcullis config show wiki-host
  portcullis config show wiki-host --output json | jq .data > host.json";

const DELETE_EXAMPLES: &str = "\
Deleted configurations are removed from services and routers. Deleting several, or with --filter,
asks for confirmation unless --yes is given.

Examples:
  portcullis config delete wiki-host
  portcullis config delete --filter 'name contains \"test-\"' --dry-run";

/// Subcommands for configurations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Create a configuration
    Create(create::CreateArgs),
    /// List configurations
    #[command(visible_alias = "ls", after_long_help = LIST_EXAMPLES)]
    List(PageArgs),
    /// Show a configuration
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show(NamedArgs),
    /// Update a configuration
    Update(update::UpdateArgs),
    /// Delete configurations
    #[command(visible_alias = "rm", after_long_help = DELETE_EXAMPLES)]
    Delete(NamedDeletionArgs),
}

impl ConfigCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self {
            Self::Create(arguments) => arguments.check(),
            Self::Update(arguments) => arguments.check(),
            Self::List(_) | Self::Show(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: ConfigCommand,
) -> Result<(), CliError> {
    match command {
        ConfigCommand::Create(arguments) => create::run(context, session, arguments).await,
        ConfigCommand::List(page) => entities::list::<ConfigDetail>(context, session, page).await,
        ConfigCommand::Show(arguments) => {
            entities::show::<ConfigDetail>(context, session, &arguments).await
        },
        ConfigCommand::Update(arguments) => update::run(context, session, arguments).await,
        ConfigCommand::Delete(arguments) => {
            named_deletion::run::<ConfigDetail>(context, session, &arguments).await
        },
    }
}
