//! `portcullis authenticator`.

mod list;
mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Shown below the help of `authenticator`.
pub(crate) const EXAMPLES: &str = "\
An authenticator is what an identity logs in with: a certificate, or a username with a password.

Examples:
  portcullis authenticator list --identity laptop
  portcullis authenticator show v1kz.YB3Rs";

/// What to do with authenticators.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthenticatorCommand {
    /// List authenticators
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an authenticator
    Show(show::ShowArgs),
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: AuthenticatorCommand,
) -> Result<(), CliError> {
    match command {
        AuthenticatorCommand::List(arguments) => list::run(context, session, arguments).await,
        AuthenticatorCommand::Show(arguments) => show::run(context, session, arguments).await,
    }
}
