//! `portcullis session`.

mod delete;
mod list;
mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::time::WireTime;

/// Shown below the help of `session`.
pub(crate) const EXAMPLES: &str = "\
A login opens a session (an API session); logging out, deleting the identity and time end it.

Examples:
  portcullis session list
  portcullis session delete --identity laptop
  portcullis session show cmf0a1b2c3d4e5f6g7h8i9j0k";

/// What to do with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a session
    Show(show::ShowArgs),
    /// End sessions
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: SessionCommand,
) -> Result<(), CliError> {
    match command {
        SessionCommand::List(arguments) => list::run(context, session, arguments).await,
        SessionCommand::Show(arguments) => show::run(context, session, arguments).await,
        SessionCommand::Delete(arguments) => delete::run(context, session, arguments).await,
    }
}

/// How a session stands to TOTP; nothing where no code was ever called for.
fn totp(session: &ApiSessionDetail) -> &'static str {
    match (session.is_mfa_complete, session.is_mfa_required) {
        (true, _) => "passed",
        (false, true) => "awaited",
        (false, false) => "",
    }
}

/// When a session was last used. The store learns of it later than the memory of the controller.
fn last_used(session: &ApiSessionDetail) -> Option<WireTime> {
    session.cached_last_activity_at.or(session.last_activity_at)
}
