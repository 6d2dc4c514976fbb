//! `portcullis revocation`.

mod create;
mod kind;
mod list;
mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Shown below the help of `revocation`.
pub(crate) const EXAMPLES: &str = "\
Revocations are for the signed tokens of OIDC logins. They are kept as long as any such token can
be valid, expire by themselves, and cannot be deleted. This controller issues no such tokens yet:
the end its sessions with `portcullis session delete`.

Examples:
  portcullis revocation create identity laptop
  portcullis revocation list --all";

/// What to do with revocations.
#[derive(Debug, Subcommand)]
pub(crate) enum RevocationCommand {
    /// Revoke a token, or all of an API session or an identity
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
