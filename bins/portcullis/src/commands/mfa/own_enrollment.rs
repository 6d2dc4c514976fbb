//! TOTP enrollment of the logged-in identity.

use crate::error::CliError;
use portcullis_api::code::Code;
use portcullis_api::mfa::MfaDetail;
use portcullis_client::Client;

/// Finds the enrollment.
pub(crate) async fn find(client: &Client) -> Result<Option<MfaDetail>, CliError> {
    match client.own_mfa().await {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_refused_with(Code::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Fails unless the identity is enrolled.
pub(super) async fn require_enrolled(client: &Client) -> Result<(), CliError> {
    match find(client).await? {
        Some(found) if found.is_verified => Ok(()),
        Some(_) => Err(CliError::failed("your enrollment is not finished")
            .hint("finish it with `portcullis mfa verify`")),
        None => Err(not_enrolled()),
    }
}

pub(super) fn not_enrolled() -> CliError {
    CliError::failed("you are not enrolled").hint("run `portcullis mfa enroll`")
}

pub(super) fn already_enrolled() -> CliError {
    CliError::failed("you are already enrolled")
        .hint("for new recovery codes, run `portcullis mfa new-codes`")
        .hint("to set up another device, run `portcullis mfa remove` first")
}
