//! `portcullis mfa remove`.

use super::own;
use crate::code::{Accepted, CodeArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::prompt;
use crate::table::Table;
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Logins ask for no code afterwards. Where the policy requires one, the next login asks you to enroll
again. To move to another device, remove the enrollment and enroll again.

This needs a code of the app, or a recovery code. An enrollment that was only started is removed
without one, after a question or with --yes. If you have neither, ask an administrator
to run `portcullis identity mfa-remove`.

Examples:
  portcullis mfa remove
  portcullis mfa remove --code-file recovery-codes.txt     with the first of these codes
  portcullis mfa remove --yes                              one that was only started";

/// Arguments of `mfa remove`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RemoveArgs {
    #[command(flatten)]
    code: CodeArgs,

    /// Do not ask before an enrollment is removed that was only started
    #[arg(short, long)]
    yes: bool,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: RemoveArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let codes = arguments.code.codes(Accepted::Either)?;
    let found = own::find(client).await?.ok_or_else(own::not_enrolled)?;
    if found.is_verified {
        let removed = codes.tried("Code", |code| client.remove_own_mfa(Some(code)));
        removed.await?;
    } else {
        let question = "Remove the enrollment that was started?";
        if !arguments.yes && !prompt::confirm(question, "--yes")? {
            return Err(CliError::failed("nothing was removed"));
        }
        client.remove_own_mfa(None).await?;
    }
    let result = json!({"removed": true, "wasEnrolled": found.is_verified});
    context.output.result(&result, || {
        Table::of_properties().footer(if found.is_verified {
            "Removed: you are no longer enrolled. The account can be deleted from the app."
        } else {
            "Removed. The account, if you added it, can be deleted from the app."
        })
    })
}
