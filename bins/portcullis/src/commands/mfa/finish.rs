//! Verification of started enrollments.

use super::recovery_codes;
use super::save::CodesFile;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::mfa_code::CodeSource;
use portcullis_api::mfa::MfaDetail;

/// Verifies the enrollment with a code and shows the recovery codes.
pub(super) async fn run(
    context: &Context,
    session: &Session,
    started: &MfaDetail,
    codes: &CodeSource,
    destination: Option<CodesFile>,
) -> Result<(), CliError> {
    let client = &session.client;
    let verified = codes.try_codes("First code of the app", |code| client.verify_own_mfa(code));
    verified.await.map_err(|error| {
        error.hint("the enrollment is still started; finish it with `portcullis mfa verify`")
    })?;
    let message = "You are enrolled: every login needs a code from now on.";
    let recovery_codes = started.recovery_codes.as_deref().unwrap_or_default();
    recovery_codes::save_and_show(context, recovery_codes, destination, message)
}
