//! `portcullis session`.

mod delete;
mod show;

use crate::commands::entity_command::{Deletable, ListArgs, Noun, Positional, ShowArgs, VerbHelp};
use crate::commands::identity_filter::IdentityFilterArgs;
use crate::commands::verb::delegate_verbs;
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
    #[command(visible_alias = "ls")]
    List(ListArgs<ApiSessionDetail, IdentityFilterArgs>),
    #[command(alias = "get")]
    Show(ShowArgs<ApiSessionDetail>),
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

delegate_verbs!(SessionCommand: List, Show, Delete);

impl Noun for ApiSessionDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List sessions",
        examples: "\
JSON and YAML contain a placeholder instead of the token.

Examples:
  portcullis session list
  portcullis session list --identity laptop
  portcullis session list --sort 'createdAt desc' --all --output json",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a session",
        examples: "\
JSON and YAML contain a placeholder instead of the token.

Examples:
  portcullis session show cmf0a1b2c3d4e5f6g7h8i9j0k
  portcullis session show cmf0a1b2c3d4e5f6g7h8i9j0k --output yaml",
    };
    const REFERENCE: Positional = Positional {
        id: "id",
        value_name: "ID",
        help: "Id of the session, as shown by `session list`",
    };
}

impl Deletable for ApiSessionDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "End sessions",
        examples: "\
A deleted session ends at once; its identity may log in again. Your own session is deleted last.
Deleting several, or with --filter or --identity, asks for confirmation unless --yes is given.

Examples:
  portcullis session delete cmf0a1b2c3d4e5f6g7h8i9j0k
  portcullis session delete --identity laptop --yes
  portcullis session delete --filter 'lastActivityAt < datetime(2031-01-02T00:00:00Z)' --dry-run",
    };
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
