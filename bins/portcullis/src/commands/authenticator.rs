//! `portcullis authenticator`.

mod create;
mod delete;
mod list;
mod request_extend;
mod reset;
mod show;
pub(crate) mod update;

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;

/// Help footer of `authenticator`.
pub(crate) const EXAMPLES: &str = "\
An authenticator is a credential of an identity: a certificate, or a username and password.

Examples:
  portcullis authenticator list --identity laptop
  portcullis authenticator show v1kz.YB3Rs
  portcullis authenticator reset v1kz.YB3Rs --output-jwt laptop.jwt";

/// Subcommands for authenticators.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthenticatorCommand {
    /// Create an authenticator with a username and password, or from an existing certificate
    Create(create::CreateArgs),
    /// List authenticators
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an authenticator
    Show(show::ShowArgs),
    /// Update the password or username of an authenticator
    Update(update::UpdateArgs),
    /// Delete authenticators
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
    /// Replace an authenticator with a new enrollment
    Reset(reset::ResetArgs),
    /// Ask the holder of a certificate to renew it
    RequestExtend(request_extend::RequestExtendArgs),
}

impl AuthenticatorCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Reset(arguments) => arguments.check(output),
            Self::Create(_)
            | Self::List(_)
            | Self::Show(_)
            | Self::Update(_)
            | Self::Delete(_)
            | Self::RequestExtend(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: AuthenticatorCommand,
) -> Result<(), CliError> {
    match command {
        AuthenticatorCommand::Create(arguments) => create::run(context, session, arguments).await,
        AuthenticatorCommand::List(arguments) => list::run(context, session, arguments).await,
        AuthenticatorCommand::Show(arguments) => show::run(context, session, arguments).await,
        AuthenticatorCommand::Update(arguments) => update::run(context, session, arguments).await,
        AuthenticatorCommand::Delete(arguments) => delete::run(context, session, arguments).await,
        AuthenticatorCommand::Reset(arguments) => reset::run(context, session, arguments).await,
        AuthenticatorCommand::RequestExtend(arguments) => {
            request_extend::run(context, session, arguments).await
        },
    }
}
