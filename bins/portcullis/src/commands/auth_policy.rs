//! `portcullis auth-policy`.

mod list;
mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Shown below the help of `auth-policy`.
pub(crate) const EXAMPLES: &str = "\
An authentication policy says which logins are enough for the identities that it is assigned to.

Examples:
  portcullis auth-policy list
  portcullis auth-policy show default";

/// What to do with authentication policies.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthPolicyCommand {
    /// List authentication policies
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an authentication policy
    Show(show::ShowArgs),
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: AuthPolicyCommand,
) -> Result<(), CliError> {
    match command {
        AuthPolicyCommand::List(arguments) => list::run(context, session, arguments).await,
        AuthPolicyCommand::Show(arguments) => show::run(context, session, arguments).await,
    }
}
