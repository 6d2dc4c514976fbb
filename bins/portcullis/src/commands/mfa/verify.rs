//! `portcullis mfa verify`.

use super::save::SaveArgs;
use super::{finish, own_enrollment};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::mfa_code::{AcceptedCodes, CodeArgs};
use clap::Args;

const EXAMPLES: &str = "\
Finishes an enrollment that `portcullis mfa enroll` started. The first code proves that the app is
set up; recovery codes do not work here. They are shown once the code is accepted.

Examples:
  portcullis mfa verify
  portcullis mfa verify --save-codes recovery-codes.txt
  pass otp portcullis | portcullis mfa verify --code-file -";

/// Arguments of `mfa verify`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    code: CodeArgs,

    #[command(flatten)]
    save: SaveArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: VerifyArgs,
) -> Result<(), CliError> {
    let codes = arguments.code.source(AcceptedCodes::Totp)?;
    let started = match own_enrollment::find(&session.client).await? {
        Some(found) if found.is_verified => return Err(own_enrollment::already_enrolled()),
        Some(started) => started,
        None => {
            return Err(CliError::failed("no enrollment was started")
                .hint("run `portcullis mfa enroll` first"));
        },
    };
    let destination = arguments.save.prepare()?;
    finish::run(context, session, &started, &codes, destination).await
}
