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

/// Shown below the help of `authenticator`.
pub(crate) const EXAMPLES: &str = "\
An authenticator is what an identity logs in with: a certificate, or a username with a password.

Examples:
  portcullis authenticator list --identity laptop
  portcullis authenticator show v1kz.YB3Rs
  portcullis authenticator reset v1kz.YB3Rs --output-jwt laptop.jwt";

/// What to do with authenticators.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthenticatorCommand {
    /// Give an identity a username with a password, or register a certificate that it already has
    Create(create::CreateArgs),
    /// List authenticators
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an authenticator
    Show(show::ShowArgs),
    /// Give somebody another password or username
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
    /// Refuses arguments that make no sense together.
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
