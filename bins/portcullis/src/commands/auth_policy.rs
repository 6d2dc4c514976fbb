//! `portcullis auth-policy`.

mod create;
mod delete;
mod list;
mod rules;
mod show;
mod update;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Help footer of `auth-policy`.
pub(crate) const EXAMPLES: &str = "\
An authentication policy defines how the identities that it is assigned to may log in.

Examples:
  portcullis auth-policy create staff --updb deny
  portcullis auth-policy list
  portcullis auth-policy show default";

/// Subcommands for authentication policies.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthPolicyCommand {
    /// Create an authentication policy
    Create(create::CreateArgs),
    /// List authentication policies
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an authentication policy
    Show(show::ShowArgs),
    /// Update an authentication policy
    Update(update::UpdateArgs),
    /// Delete authentication policies that are not in use
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: AuthPolicyCommand,
) -> Result<(), CliError> {
    match command {
        AuthPolicyCommand::Create(arguments) => create::run(context, session, arguments).await,
        AuthPolicyCommand::List(arguments) => list::run(context, session, arguments).await,
        AuthPolicyCommand::Show(arguments) => show::run(context, session, arguments).await,
        AuthPolicyCommand::Update(arguments) => update::run(context, session, arguments).await,
        AuthPolicyCommand::Delete(arguments) => delete::run(context, session, arguments).await,
    }
}
