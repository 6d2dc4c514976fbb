//! `portcullis mfa remove`.

use super::own_enrollment;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::mfa_code::{AcceptedCodes, CodeArgs};
use crate::prompt;
use crate::table::Table;
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Logins need no code afterwards, unless a policy requires one: then the next login makes you enroll
again. To move to another device, remove the enrollment and enroll again.

This takes a TOTP code or a recovery code. If you have neither, ask an administrator to run
`portcullis identity mfa-remove`. A started enrollment is removed without a code, after
confirmation or with --yes.

Examples:
  portcullis mfa remove
  portcullis mfa remove --code-file recovery-codes.txt     # uses the first of these codes
  portcullis mfa remove --yes                              # a started enrollment";

/// Arguments of `mfa remove`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RemoveArgs {
    #[command(flatten)]
    code: CodeArgs,

    /// Skip the confirmation prompt for a started enrollment
    #[arg(short, long)]
    yes: bool,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: RemoveArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let codes = arguments.code.source(AcceptedCodes::Either)?;
    let found = own_enrollment::find(client)
        .await?
        .ok_or_else(own_enrollment::not_enrolled)?;
    if found.is_verified {
        let removed = codes.try_codes("Code", |code| client.remove_own_mfa(Some(code)));
        removed.await?;
    } else {
        let question = "Remove the started enrollment?";
        if !arguments.yes && !prompt::confirm(question, "--yes")? {
            return Err(CliError::failed("nothing was removed"));
        }
        client.remove_own_mfa(None).await?;
    }
    let result = json!({"removed": true, "wasEnrolled": found.is_verified});
    context.output.write_result(&result, || {
        Table::with_properties().footer(if found.is_verified {
            "Removed: you are no longer enrolled. You can delete the account from the app."
        } else {
            "Removed. If you added the account to an app, you can delete it there."
        })
    })
}
