//! `portcullis mfa codes`.

use super::save::SaveArgs;
use super::{own_enrollment, recovery_codes};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::mfa_code::{AcceptedCodes, CodeArgs};
use crate::table;
use clap::Args;

const EXAMPLES: &str = "\
A recovery code replaces a TOTP code, once. Showing them takes a TOTP code, or a recovery code,
which is used up by this.

Examples:
  portcullis mfa codes
  portcullis mfa codes --save-codes recovery-codes.txt";

/// Arguments of `mfa codes`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CodesArgs {
    #[command(flatten)]
    code: CodeArgs,

    #[command(flatten)]
    save: SaveArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: CodesArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let codes = arguments.code.source(AcceptedCodes::Either)?;
    own_enrollment::require_enrolled(client).await?;
    let destination = arguments.save.prepare()?;
    let left = codes.try_codes("Code", |code| client.own_recovery_codes(code));
    let left = recovery_codes::into_codes(left.await?);
    let count = table::pluralize(left.len(), "recovery code is", "recovery codes are");
    recovery_codes::save_and_show(context, &left, destination, &format!("{count} left."))
}
