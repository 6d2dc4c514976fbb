//! `portcullis transit-router`.

mod create;
mod show;
mod update;

use crate::commands::entities;
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;
use portcullis_api::transit_router::TransitRouterDetail;

/// Help footer of `transit-router`.
pub(crate) const EXAMPLES: &str = "\
Transit routers forward traffic between other routers; clients do not connect to them. The list
includes edge routers, which forward traffic too.

Examples:
  portcullis transit-router create t1 --output-jwt t1.jwt
  portcullis transit-router list";

const LIST_EXAMPLES: &str = "\
Examples:
  portcullis transit-router list --sort name --all
  portcullis transit-router list --filter 'name contains \"berlin\"'";

const DELETE_EXAMPLES: &str = "\
A deleted router is locked out at once. Deleting several, or with --filter, asks for confirmation
unless --yes is given.

Examples:
  portcullis transit-router delete t1
  portcullis transit-router delete --filter 'name contains \"test-\"' --dry-run";

/// Subcommands for transit routers.
#[derive(Debug, Subcommand)]
pub(crate) enum TransitRouterCommand {
    /// Create a transit router and its enrollment token
    Create(create::CreateArgs),
    /// List transit routers and edge routers
    #[command(visible_alias = "ls", after_long_help = LIST_EXAMPLES)]
    List(PageArgs),
    /// Show a transit router
    Show(show::ShowArgs),
    /// Update a transit router
    Update(update::UpdateArgs),
    /// Delete transit routers
    #[command(visible_alias = "rm", after_long_help = DELETE_EXAMPLES)]
    Delete(NamedDeletionArgs),
}

impl TransitRouterCommand {
    /// Rejects contradictory arguments.
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
