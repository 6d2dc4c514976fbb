//! `portcullis ca`.

mod claim;
mod create;
mod delete;
mod jwt;
mod list;
mod rules;
mod show;
mod update;
mod verify;

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;

/// Shown below the help of `ca`.
pub(crate) const EXAMPLES: &str = "\
A third-party CA issues certificates that are accepted in this network, once it
is verified: the administrator proves to hold its key.

Examples:
  portcullis ca create corporate ca.pem
  portcullis ca verify corporate --ca-key ca.key
  portcullis identity create server --ottca corporate --output-jwt server.jwt";

/// What to do with third-party authorities.
#[derive(Debug, Subcommand)]
pub(crate) enum CaCommand {
    /// Add a third-party CA
    Create(create::CreateArgs),
    /// Verify a CA by proving that you hold its key
    Verify(verify::VerifyArgs),
    /// Write the token with which holders of certificates of a CA enroll
    Jwt(jwt::JwtArgs),
    /// List third-party CAs
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a third-party CA
    Show(show::ShowArgs),
    /// Change a third-party CA
    Update(update::UpdateArgs),
    /// Delete third-party CAs; their certificates are no longer accepted
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl CaCommand {
    /// Refuses arguments that make no sense together.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Jwt(arguments) => arguments.check(output),
            Self::Update(arguments) => arguments.check(),
            Self::Create(_) | Self::Verify(_) | Self::List(_) | Self::Show(_) | Self::Delete(_) => {
                Ok(())
            },
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: CaCommand,
) -> Result<(), CliError> {
    match command {
        CaCommand::Create(arguments) => create::run(context, session, arguments).await,
        CaCommand::Verify(arguments) => verify::run(context, session, arguments).await,
        CaCommand::Jwt(arguments) => jwt::run(context, session, arguments).await,
        CaCommand::List(arguments) => list::run(context, session, arguments).await,
        CaCommand::Show(arguments) => show::run(context, session, arguments).await,
        CaCommand::Update(arguments) => update::run(context, session, arguments).await,
        CaCommand::Delete(arguments) => delete::run(context, session, arguments).await,
    }
}
