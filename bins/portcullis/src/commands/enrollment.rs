//! `portcullis enrollment`.

mod create;
mod delete;
mod list;
mod refresh;
pub(crate) mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;

/// Help footer of `enrollment`.
pub(crate) const EXAMPLES: &str = "\
An enrollment is pending until its token is used with `portcullis enroll`. Expired enrollments can
be refreshed.

Examples:
  portcullis enrollment create laptop --output-jwt laptop.jwt
  portcullis enrollment list
  portcullis enrollment refresh Yb0Dk.7vQ --output-jwt laptop.jwt";

/// Subcommands for enrollments.
#[derive(Debug, Subcommand)]
pub(crate) enum EnrollmentCommand {
    /// Create an enrollment for an identity
    Create(create::CreateArgs),
    /// List pending and expired enrollments
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an enrollment or write its token to a file
    Show(show::ShowArgs),
    /// Replace the token of an enrollment
    Refresh(refresh::RefreshArgs),
    /// Delete enrollments
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl EnrollmentCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Create(arguments) => arguments.check(output),
            Self::Show(arguments) => arguments.check(output),
            Self::Refresh(arguments) => arguments.check(output),
            Self::List(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: EnrollmentCommand,
) -> Result<(), CliError> {
    match command {
        EnrollmentCommand::Create(arguments) => create::run(context, session, arguments).await,
        EnrollmentCommand::List(arguments) => list::run(context, session, arguments).await,
        EnrollmentCommand::Show(arguments) => show::run(context, session, arguments).await,
        EnrollmentCommand::Refresh(arguments) => refresh::run(context, session, arguments).await,
        EnrollmentCommand::Delete(arguments) => delete::run(context, session, arguments).await,
    }
}
