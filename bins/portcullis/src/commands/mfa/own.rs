//! The enrollment of whoever is logged in, as it is before a command does something about it.

use crate::error::CliError;
use portcullis_api::code::Code;
use portcullis_api::mfa::MfaDetail;
use portcullis_client::Client;

/// The enrollment, if there is one.
pub(crate) async fn find(client: &Client) -> Result<Option<MfaDetail>, CliError> {
    match client.own_mfa().await {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_refused_with(Code::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Refuses to go on unless the caller is enrolled.
pub(super) async fn enrolled(client: &Client) -> Result<(), CliError> {
    match find(client).await? {
        Some(found) if found.is_verified => Ok(()),
        Some(_) => Err(CliError::failed("your enrollment is not finished")
            .hint("finish it with `portcullis mfa verify`")),
        None => Err(not_enrolled()),
    }
}

/// There is nothing to do something about.
pub(super) fn not_enrolled() -> CliError {
    CliError::failed("you are not enrolled").hint("run `portcullis mfa enroll`")
}

/// There is nothing left to do.
pub(super) fn already_enrolled() -> CliError {
    CliError::failed("you are already enrolled")
        .hint("for new recovery codes run `portcullis mfa new-codes`")
        .hint("to set up another device, run `portcullis mfa remove` first")
}
