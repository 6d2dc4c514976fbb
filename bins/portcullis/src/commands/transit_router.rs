//! `portcullis transit-router`.

mod create;
mod show;
mod update;

use crate::commands::entities;
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::page::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;
use portcullis_api::transit_router::TransitRouterDetail;

/// Shown below the help of `transit-router`.
pub(crate) const EXAMPLES: &str = "\
Transit routers pass traffic on between other routers; clients do not connect to them. The list
shows edge routers too, since they pass traffic on as well.

Examples:
  portcullis transit-router create t1 --output-jwt t1.jwt
  portcullis transit-router list";

const LIST: &str = "\
Examples:
  portcullis transit-router list --sort name --all
  portcullis transit-router list --filter 'name contains \"berlin\"'";

const DELETE: &str = "\
A deleted router is locked out at once. Several routers, and what a filter matches, are deleted
only after a question, or with --yes.

Examples:
  portcullis transit-router delete t1
  portcullis transit-router delete --filter 'name contains \"test-\"' --dry-run";

/// What to do with transit routers.
#[derive(Debug, Subcommand)]
pub(crate) enum TransitRouterCommand {
    /// Create a transit router, and get the token with which it enrolls
    Create(create::CreateArgs),
    /// List the routers that pass traffic on
    #[command(visible_alias = "ls", after_long_help = LIST)]
    List(PageArgs),
    /// Show a transit router
    Show(show::ShowArgs),
    /// Change a transit router
    Update(update::UpdateArgs),
    /// Delete transit routers
    #[command(visible_alias = "rm", after_long_help = DELETE)]
    Delete(NamedDeletionArgs),
}

impl TransitRouterCommand {
    /// Refuses arguments that make no sense together.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Create(arguments) => arguments.check(output),
            Self::Show(arguments) => arguments.check(output),
            Self::Update(arguments) => arguments.check(),
            Self::List(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: TransitRouterCommand,
) -> Result<(), CliError> {
    match command {
        TransitRouterCommand::Create(arguments) => create::run(context, session, arguments).await,
        TransitRouterCommand::List(page) => {
            entities::list::<TransitRouterDetail>(context, session, page).await
        },
        TransitRouterCommand::Show(arguments) => show::run(context, session, arguments).await,
        TransitRouterCommand::Update(arguments) => update::run(context, session, arguments).await,
        TransitRouterCommand::Delete(arguments) => {
            named_deletion::run::<TransitRouterDetail>(context, session, &arguments).await
        },
    }
}
