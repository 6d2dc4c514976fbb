//! Answering the second factor of a session.

use super::attempt::{Accepted, Purpose, attempt, enrolled};
use super::fault::MfaFault;
use super::{Answer, RequestToken};
use crate::app::App;
use crate::error::AppError;
use crate::sessions;
use portcullis_domain::access::Permit;
use portcullis_domain::mfa::Progress;
use portcullis_storage::tables::RowsMut;
use portcullis_totp::{Enrolled, Evidence, Refusal, Rules};
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

impl Purpose for Pass {
    type State = Enrolled;
    type Done = ();

    const OPERATION: &'static str = "api-session.pass-mfa";

    fn state(&self, progress: Option<&Progress>) -> Result<Enrolled, MfaFault> {
        enrolled(progress, MfaFault::NotEnrolled)
    }

    fn judge(
        &self,
        state: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, Refusal> {
        state.accept(evidence, rules)
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
