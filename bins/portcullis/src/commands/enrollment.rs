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

/// Shown below the help of `enrollment`.
pub(crate) const EXAMPLES: &str = "\
An enrollment exists until its token is used with `portcullis enroll`, or it is deleted. One
that has expired stays, and can be refreshed.

Examples:
  portcullis enrollment create laptop --output-jwt laptop.jwt
  portcullis enrollment list
  portcullis enrollment refresh Yb0Dk.7vQ --output-jwt laptop.jwt";

/// What to do with enrollments.
#[derive(Debug, Subcommand)]
pub(crate) enum EnrollmentCommand {
    /// Let an identity enroll
    Create(create::CreateArgs),
    /// List enrollments, pending and expired
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an enrollment, or write its token to a file
    Show(show::ShowArgs),
    /// Replace the token of an enrollment with a new one
    Refresh(refresh::RefreshArgs),
    /// Delete enrollments
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl EnrollmentCommand {
    /// Refuses arguments that make no sense together.
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
