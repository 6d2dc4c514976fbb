//! Finishing an enrollment with its first code.

use super::save::Destination;
use super::shown;
use crate::code::Codes;
use crate::context::{Context, Session};
use crate::error::CliError;
use portcullis_api::mfa::MfaDetail;

/// Has codes tried until one finishes the enrollment, and shows the recovery codes.
pub(super) async fn run(
    context: &Context,
    session: &Session,
    started: &MfaDetail,
    codes: &Codes,
    destination: Option<Destination>,
) -> Result<(), CliError> {
    let client = &session.client;
    let verified = codes.tried("First code of the app", |code| client.verify_own_mfa(code));
    verified.await.map_err(|error| {
        error.hint("the enrollment is still started; finish it with `portcullis mfa verify`")
    })?;
    let told = "You are enrolled: every login asks for a code from now on.";
    let recovery_codes = started.recovery_codes.as_deref().unwrap_or_default();
    shown::run(context, recovery_codes, destination, told)
}
