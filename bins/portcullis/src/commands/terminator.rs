//! `portcullis terminator`.

mod create;
mod delete;
mod list;
mod members;
mod show;
mod update;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Shown below the help of `terminator`.
pub(crate) const EXAMPLES: &str = "\
A terminator says at which router, and at which address from there, a service is available. Programs
that bind a service create their own; those created here lead to programs that know nothing of it.
Terminators have no names, only ids.

Examples:
  portcullis terminator create wiki r1 tcp:localhost:8080
  portcullis terminator list --service wiki";

/// What to do with terminators.
#[derive(Debug, Subcommand)]
pub(crate) enum TerminatorCommand {
    /// Create a terminator
    Create(create::CreateArgs),
    /// List terminators
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a terminator
    Show(show::ShowArgs),
    /// Change a terminator
    Update(update::UpdateArgs),
    /// Delete terminators
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl TerminatorCommand {
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
