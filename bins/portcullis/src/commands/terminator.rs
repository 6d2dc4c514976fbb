//! `portcullis terminator`.

mod args;
mod create;
mod delete;
mod list;
mod show;
mod update;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Help footer of `terminator`.
pub(crate) const EXAMPLES: &str = "\
A terminator is the router, and the address that it connects to, at which a service is available.
Programs that bind a service create their own; create terminators here for programs without an SDK.
Terminators have ids, but no names.

Examples:
  portcullis terminator create wiki r1 tcp:localhost:8080
  portcullis terminator list --service wiki";

/// Subcommands for terminators.
#[derive(Debug, Subcommand)]
pub(crate) enum TerminatorCommand {
    /// Create a terminator
    Create(create::CreateArgs),
    /// List terminators
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a terminator
    Show(show::ShowArgs),
    /// Update a terminator
    Update(update::UpdateArgs),
    /// Delete terminators
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl TerminatorCommand {
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
    command: TerminatorCommand,
) -> Result<(), CliError> {
    match command {
        TerminatorCommand::Create(arguments) => create::run(context, session, arguments).await,
        TerminatorCommand::List(arguments) => list::run(context, session, arguments).await,
        TerminatorCommand::Show(arguments) => show::run(context, session, arguments).await,
        TerminatorCommand::Update(arguments) => update::run(context, session, arguments).await,
        TerminatorCommand::Delete(arguments) => delete::run(context, session, arguments).await,
    }
}
