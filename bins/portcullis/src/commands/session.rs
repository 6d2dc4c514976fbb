//! `portcullis session`.

mod delete;
mod list;
mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::time::WireTime;

/// Help footer of `session`.
pub(crate) const EXAMPLES: &str = "\
A login opens a session (an API session). It ends by logout, deletion of the identity, or timeout.

Examples:
  portcullis session list
  portcullis session delete --identity laptop
  portcullis session show cmf0a1b2c3d4e5f6g7h8i9j0k";

/// Subcommands for sessions.
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

/// TOTP status of a session; empty if no code was required.
fn totp_status(session: &ApiSessionDetail) -> &'static str {
    match (session.is_mfa_complete, session.is_mfa_required) {
        (true, _) => "passed",
        (false, true) => "pending",
        (false, false) => "",
    }
}

/// Last use of a session. The stored time lags behind the one in memory.
fn last_used(session: &ApiSessionDetail) -> Option<WireTime> {
    session.cached_last_activity_at.or(session.last_activity_at)
}
