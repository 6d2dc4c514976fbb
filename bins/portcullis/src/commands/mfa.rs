//! `portcullis mfa`.

mod app_setup;
mod codes;
mod enroll;
mod finish;
mod new_codes;
pub(crate) mod own_enrollment;
mod recovery_codes;
mod remove;
mod save;
mod status;
mod verify;

use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;

/// Help footer of `mfa`.
pub(crate) const EXAMPLES: &str = "\
TOTP codes are one-time codes from an authenticator app, for example on a phone. Once you are
enrolled, every login needs such a code, or a recovery code if the app is not at hand. TOTP codes
change every 30 seconds; TOTP and recovery codes work once.

Log in, then start with `portcullis mfa enroll`. These commands apply to the logged-in identity; for
others, use `portcullis identity mfa-remove`.

Examples:
  portcullis mfa enroll --save-codes recovery-codes.txt
  portcullis mfa status
  portcullis mfa new-codes --save-codes recovery-codes.txt --force";

/// Subcommands for one's own TOTP enrollment.
#[derive(Debug, Subcommand)]
pub(crate) enum MfaCommand {
    /// Show whether you are enrolled, and whether your session needs a code
    #[command(after_long_help = status::EXAMPLES)]
    Status,
    /// Set up an authenticator app
    Enroll(enroll::EnrollArgs),
    /// Finish a started enrollment with the first code
    Verify(verify::VerifyArgs),
    /// Show the unused recovery codes
    Codes(codes::CodesArgs),
    /// Replace all recovery codes with new ones
    NewCodes(new_codes::NewCodesArgs),
    /// Remove your enrollment, so that logins need no code
    #[command(visible_alias = "rm")]
    Remove(remove::RemoveArgs),
}

impl Verb for MfaCommand {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        match self {
            Self::Status => status::run(context, session).await,
            Self::Enroll(arguments) => enroll::run(context, session, arguments).await,
            Self::Verify(arguments) => verify::run(context, session, arguments).await,
            Self::Codes(arguments) => codes::run(context, session, arguments).await,
            Self::NewCodes(arguments) => new_codes::run(context, session, arguments).await,
            Self::Remove(arguments) => remove::run(context, session, arguments).await,
        }
    }
}
