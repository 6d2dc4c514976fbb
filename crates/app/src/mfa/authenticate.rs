//! TOTP authentication of sessions.

use super::attempt::{AcceptedCode, EnrolledPurpose, attempt};
use super::{Authenticate, RequestToken};
use crate::app::App;
use crate::error::AppError;
use crate::error::MfaError;
use crate::sessions;
use portcullis_domain::access::{Caller, Permit};
use portcullis_storage::tables::RowsMut;
use secrecy::SecretString;

/// Answers the TOTP factor of the caller's session with a code or a recovery code. For a full
/// session this renews the pass.
pub async fn authenticate(
    app: &App,
    permit: &Permit<Authenticate>,
    code: &SecretString,
) -> Result<(), AppError> {
    attempt(app, permit, Some(code), PassFactor).await
}

#[derive(Clone)]
struct PassFactor;

impl EnrolledPurpose for PassFactor {
    type Output = ();

    const OPERATION: &'static str = "api-session.pass-mfa";
    const MISSING_ERROR: MfaError = MfaError::NotEnrolled;

    fn entity(caller: &Caller) -> &str {
        caller.session.as_str()
    }

    fn apply(&self, rows: &mut RowsMut<'_>, accepted: AcceptedCode<'_>) -> Result<(), AppError> {
        sessions::record_totp_pass(rows, accepted.caller, accepted.now)?;
        let before = accepted.before;
        Ok(rows.replace(&before.key, &before.entity, &accepted.after())?)
    }
}

/// Requests a token that proves a TOTP pass to routers. Only OIDC sessions need one, which this
/// release does not have.
pub fn request_token(_permit: &Permit<RequestToken>) -> Result<(), AppError> {
    Err(MfaError::WrongSession.into())
}
