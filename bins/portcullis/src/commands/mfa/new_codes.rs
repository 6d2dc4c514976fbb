//! `portcullis mfa new-codes`.

use super::save::SaveArgs;
use super::{own_enrollment, recovery_codes};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::mfa_code::{AcceptedCodes, CodeArgs};
use clap::Args;
use portcullis_client::{Client, ClientError};
use secrecy::SecretString;

const EXAMPLES: &str = "\
This takes a TOTP code or a recovery code. All earlier recovery codes stop working.

Examples:
  portcullis mfa new-codes
  portcullis mfa new-codes --save-codes recovery-codes.txt --force";

/// Arguments of `mfa new-codes`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct NewCodesArgs {
    #[command(flatten)]
    code: CodeArgs,

    #[command(flatten)]
    save: SaveArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: NewCodesArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let codes = arguments.code.source(AcceptedCodes::Either)?;
    own_enrollment::require_enrolled(client).await?;
    let destination = arguments.save.prepare()?;
    let replaced = codes.try_codes("Code", |code| replace_codes(client, code));
    let fresh = replaced.await?.map_err(|error| {
        CliError::from(error)
            .with_context("the recovery codes were replaced, but cannot be shown".to_owned())
            .hint("the earlier ones no longer work; `portcullis mfa codes` shows the new ones")
    })?;
    let message = "These recovery codes replace all earlier ones.";
    recovery_codes::save_and_show(context, &fresh, destination, message)
}

/// Replaces the codes and reads the new ones, if the response does not contain them. The outer
/// error means that nothing was replaced.
async fn replace_codes(
    client: &Client,
    code: SecretString,
) -> Result<Result<Vec<SecretString>, ClientError>, ClientError> {
    if let Some(fresh) = client.replace_own_recovery_codes(code.clone()).await? {
        return Ok(Ok(recovery_codes::into_codes(fresh)));
    }
    Ok(client
        .own_recovery_codes(code)
        .await
        .map(recovery_codes::into_codes))
}
