//! `portcullis mfa`.

mod codes;
mod enroll;
mod finish;
mod new_codes;
pub(crate) mod own;
mod remove;
mod save;
mod set_up;
mod shown;
mod status;
mod verify;

use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Shown below the help of `mfa`.
pub(crate) const EXAMPLES: &str = "\
TOTP codes are one-time codes of an authenticator app, for example on a phone. If you are enrolled,
every login needs such a code, or a recovery code if the app is not at hand. A code
of an app changes every 30 seconds and works once; a recovery code works once too.

Log in, then begin with `portcullis mfa enroll`. These commands are for your own identity, the one
that is logged in; `portcullis identity mfa-remove` is for others.

Examples:
  portcullis mfa enroll --save-codes recovery-codes.txt
  portcullis mfa status
  portcullis mfa new-codes --save-codes recovery-codes.txt --force";

/// What to do with one's own TOTP enrollment.
#[derive(Debug, Subcommand)]
pub(crate) enum MfaCommand {
    /// Show whether you are enrolled, and what your session still asks for
    #[command(after_long_help = status::EXAMPLES)]
    Status,
    /// Set up an authenticator app, and finish with its first code
    Enroll(enroll::EnrollArgs),
    /// Finish an enrollment that was started, with the first code
    Verify(verify::VerifyArgs),
    /// Show the unused recovery codes
    Codes(codes::CodesArgs),
    /// Replace all recovery codes with new ones
    NewCodes(new_codes::NewCodesArgs),
    /// Remove your enrollment, so that logins ask for no code
    #[command(visible_alias = "rm")]
    Remove(remove::RemoveArgs),
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: MfaCommand,
) -> Result<(), CliError> {
    match command {
        MfaCommand::Status => status::run(context, session).await,
        MfaCommand::Enroll(arguments) => enroll::run(context, session, arguments).await,
        MfaCommand::Verify(arguments) => verify::run(context, session, arguments).await,
        MfaCommand::Codes(arguments) => codes::run(context, session, arguments).await,
        MfaCommand::NewCodes(arguments) => new_codes::run(context, session, arguments).await,
        MfaCommand::Remove(arguments) => remove::run(context, session, arguments).await,
    }
}
