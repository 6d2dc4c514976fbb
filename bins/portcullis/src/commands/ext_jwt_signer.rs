//! `portcullis ext-jwt-signer`.

mod args;
mod create;
mod delete;
mod list;
mod network_jwt;
mod public;
mod show;
mod update;

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;

/// Help footer of `ext-jwt-signer`.
pub(crate) const EXAMPLES: &str = "\
An external signer, such as an OpenID provider, issues JWTs with which identities log in. A claim of
the JWT holds the id or external id of the identity.

Examples:
  portcullis ext-jwt-signer create okta --issuer https://okta.test --audience portcullis \\
      --jwks-endpoint https://okta.test/keys --use-external-id true
  portcullis identity create anna --external-id anna@okta.test
  portcullis login https://localhost:1280 --ext-jwt anna.token";

/// Subcommands for external signers.
#[derive(Debug, Subcommand)]
pub(crate) enum ExtJwtSignerCommand {
    /// Create an external signer
    Create(Box<create::CreateArgs>),
    /// List external signers
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an external signer
    Show(show::ShowArgs),
    /// Update an external signer
    Update(Box<update::UpdateArgs>),
    /// Delete unused external signers
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
    /// Get the token with which holders of JWTs enroll
    NetworkJwt(network_jwt::NetworkJwtArgs),
}

impl ExtJwtSignerCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Update(arguments) => arguments.check(),
            Self::NetworkJwt(arguments) => arguments.check(output),
            Self::Create(_) | Self::List(_) | Self::Show(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: ExtJwtSignerCommand,
) -> Result<(), CliError> {
    match command {
        ExtJwtSignerCommand::Create(arguments) => create::run(context, session, *arguments).await,
        ExtJwtSignerCommand::List(arguments) => list::run(context, session, arguments).await,
        ExtJwtSignerCommand::Show(arguments) => show::run(context, session, arguments).await,
        ExtJwtSignerCommand::Update(arguments) => update::run(context, session, *arguments).await,
        ExtJwtSignerCommand::Delete(arguments) => delete::run(context, session, arguments).await,
        ExtJwtSignerCommand::NetworkJwt(arguments) => {
            network_jwt::run(context, session, arguments).await
        },
    }
}
