//! `portcullis session`.

mod list;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Shown below the help of `session`.
pub(crate) const EXAMPLES: &str = "\
A login opens a session (an API session); logging out, deleting the identity and time end it.

Examples:
  portcullis session list
  portcullis session list --identity laptop";

/// What to do with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: SessionCommand,
) -> Result<(), CliError> {
    match command {
        SessionCommand::List(arguments) => list::run(context, session, arguments).await,
    }
}
