//! `portcullis mfa verify`.

use super::save::SaveArgs;
use super::{finish, own};
use crate::code::{Accepted, CodeArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;

const EXAMPLES: &str = "\
`portcullis mfa enroll` starts an enrollment. The first code proves that the app is set up; a
recovery code does not work here. The recovery codes are shown once the code is accepted.

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
    let codes = arguments.code.codes(Accepted::Totp)?;
    let started = match own::find(&session.client).await? {
        Some(found) if found.is_verified => return Err(own::already_enrolled()),
        Some(started) => started,
        None => {
            return Err(CliError::failed("no enrollment was started")
                .hint("`portcullis mfa enroll` starts one"));
        },
    };
    let destination = arguments.save.prepare()?;
    finish::run(context, session, &started, &codes, destination).await
}
