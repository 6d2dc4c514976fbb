//! Answering the second factor of a session.

use super::attempt::{Accepted, OfEnrolled, attempt};
use super::fault::MfaFault;
use super::{Answer, RequestToken};
use crate::app::App;
use crate::error::AppError;
use crate::sessions;
use portcullis_domain::access::{Caller, Permit};
use portcullis_storage::tables::RowsMut;
use secrecy::SecretString;

/// Answers the second factor of the caller's session by a code or a recovery code. A session that
/// was complete before has passed once more.
pub async fn answer(
    app: &App,
    permit: &Permit<Answer>,
    code: &SecretString,
) -> Result<(), AppError> {
    attempt(app, permit, Some(code), Pass).await
}

#[derive(Clone)]
struct Pass;

impl OfEnrolled for Pass {
    type Done = ();

    const OPERATION: &'static str = "api-session.pass-mfa";
    const OTHERWISE: MfaFault = MfaFault::NotEnrolled;

    fn entity(caller: &Caller) -> &str {
        caller.session.as_str()
    }

    fn settle(&self, rows: &mut RowsMut<'_>, accepted: Accepted<'_>) -> Result<(), AppError> {
        sessions::pass_totp(rows, accepted.caller, accepted.now)?;
        let before = accepted.before;
        Ok(rows.replace(&before.key, &before.entity, &accepted.after())?)
    }
}

/// Asks for a token by which routers learn that a code was given. Sessions that rest on the token
/// in `zt-session` need none, and there are no others.
pub fn request_token(_permit: &Permit<RequestToken>) -> Result<(), AppError> {
    Err(MfaFault::WrongSession.into())
}
