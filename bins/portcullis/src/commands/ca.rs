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

/// Help footer of `ca`.
pub(crate) const EXAMPLES: &str = "\
Certificates of a third-party CA are accepted in this network once the CA is verified, which proves
that the administrator holds its key.

Examples:
  portcullis ca create corporate ca.pem
  portcullis ca verify corporate --ca-key ca.key
  portcullis identity create server --ottca corporate --output-jwt server.jwt";

/// Subcommands for third-party CAs.
#[derive(Debug, Subcommand)]
pub(crate) enum CaCommand {
    /// Add a third-party CA
    Create(create::CreateArgs),
    /// Verify a CA by proving that you hold its key
    Verify(verify::VerifyArgs),
    /// Get the token with which holders of certificates of a CA enroll
    Jwt(jwt::JwtArgs),
    /// List third-party CAs
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a third-party CA
    Show(show::ShowArgs),
    /// Update a third-party CA
    Update(update::UpdateArgs),
    /// Delete third-party CAs; their certificates are no longer accepted
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl CaCommand {
    /// Rejects contradictory arguments.
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
