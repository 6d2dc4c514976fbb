//! `portcullis mfa new-codes`.

use super::save::SaveArgs;
use super::{own, shown};
use crate::code::{Accepted, CodeArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_client::{Client, ClientError};
use secrecy::SecretString;

const EXAMPLES: &str = "\
This needs a code: one of the app, or a recovery code. None of the earlier recovery codes works
afterwards.

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
    let codes = arguments.code.codes(Accepted::Either)?;
    own::enrolled(client).await?;
    let destination = arguments.save.prepare()?;
    let replaced = codes.tried("Code", |code| replace(client, code));
    let fresh = replaced.await?.map_err(|error| {
        CliError::from(error)
            .within("the recovery codes were replaced, but cannot be shown".to_owned())
            .hint("the earlier ones no longer work; `portcullis mfa codes` shows the new ones")
    })?;
    let told = "These recovery codes replace all earlier ones.";
    shown::run(context, &fresh, destination, told)
}

/// Replaces the codes, and then reads the new ones if the controller does not say them at once. The
/// outer failure means that nothing was replaced.
async fn replace(
    client: &Client,
    code: SecretString,
) -> Result<Result<Vec<SecretString>, ClientError>, ClientError> {
    if let Some(fresh) = client.replace_own_recovery_codes(code.clone()).await? {
        return Ok(Ok(shown::of(fresh)));
    }
    Ok(client.own_recovery_codes(code).await.map(shown::of))
}
