//! `portcullis mfa codes`.

use super::save::SaveArgs;
use super::{own, shown};
use crate::code::{Accepted, CodeArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table;
use clap::Args;

const EXAMPLES: &str = "\
A recovery code replaces a code of the app, once. A code is needed to see them: one of the
app, or a recovery code, which is used up by this.

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
    let codes = arguments.code.codes(Accepted::Either)?;
    own::enrolled(client).await?;
    let destination = arguments.save.prepare()?;
    let left = codes.tried("Code", |code| client.own_recovery_codes(code));
    let left = shown::of(left.await?);
    let count = table::count(left.len(), "recovery code is", "recovery codes are");
    shown::run(context, &left, destination, &format!("{count} left."))
}
