//! `portcullis enrollment`.

mod delete;
mod list;
mod refresh;
mod show;

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;

/// What to do with enrollments.
#[derive(Debug, Subcommand)]
pub(crate) enum EnrollmentCommand {
    /// List pending enrollments
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a pending enrollment, and write its token
    Show(show::ShowArgs),
    /// Replace the token of an enrollment by one that lasts longer
    Refresh(refresh::RefreshArgs),
    /// Delete pending enrollments
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl EnrollmentCommand {
    /// Refuses arguments that make no sense together.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
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
        EnrollmentCommand::List(arguments) => list::run(context, session, arguments).await,
        EnrollmentCommand::Show(arguments) => show::run(context, session, arguments).await,
        EnrollmentCommand::Refresh(arguments) => refresh::run(context, session, arguments).await,
        EnrollmentCommand::Delete(arguments) => delete::run(context, session, arguments).await,
    }
}
