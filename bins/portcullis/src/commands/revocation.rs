//! `portcullis revocation`.

mod create;
mod kind;
mod list;
mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Help footer of `revocation`.
pub(crate) const EXAMPLES: &str = "\
Revocations apply to the signed tokens of OIDC logins. They expire once no such token can be valid
any more, and cannot be deleted. This controller issues no such tokens yet: end its sessions with
`portcullis session delete`.

Examples:
  portcullis revocation create identity laptop
  portcullis revocation list --all";

/// Subcommands for revocations.
#[derive(Debug, Subcommand)]
pub(crate) enum RevocationCommand {
    /// Revoke a token, or all tokens of an API session or identity
    Create(create::CreateArgs),
    /// List revocations
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a revocation
    Show(show::ShowArgs),
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: RevocationCommand,
) -> Result<(), CliError> {
    match command {
        RevocationCommand::Create(arguments) => create::run(context, session, arguments).await,
        RevocationCommand::List(arguments) => list::run(context, session, arguments).await,
        RevocationCommand::Show(arguments) => show::run(context, session, arguments).await,
    }
}
