//! TOTP authentication of sessions.

use super::attempt::{AcceptedCode, EnrolledPurpose, attempt};
use super::{Authenticate, RequestToken};
use crate::app::App;
use crate::error::AppError;
use crate::error::MfaError;
use crate::sessions;
use crate::tokens;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::oidc_session::TokenId;
use portcullis_oidc::claims::TotpClaims;
use portcullis_storage::tables::RowsMut;
use portcullis_totp::SubmittedCode;
use secrecy::{ExposeSecret as _, SecretString};

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

/// A token that proves a TOTP pass to routers.
#[derive(Debug)]
pub struct TotpToken {
    pub token: SecretString,
    pub issued_at: Timestamp,
}

/// Exchanges a code of the authenticator app for a token that proves a TOTP pass to routers, which
/// judge OIDC sessions by themselves. It renews the pass of the session here as well.
///
/// # Errors
///
/// [`MfaError::WrongSession`] for sessions that are not of OIDC; recovery codes are refused.
pub async fn request_token(
    app: &App,
    permit: &Permit<RequestToken>,
    code: &SecretString,
) -> Result<TotpToken, AppError> {
    let caller = permit.caller();
    let access = caller.access_token.as_ref().ok_or(MfaError::WrongSession)?;
    // Not tried at all, so that one which would be right elsewhere is not counted as wrong.
    if matches!(
        SubmittedCode::parse(code.expose_secret()),
        Ok(SubmittedCode::Recovery(_))
    ) {
        return Err(MfaError::WrongCode.into());
    }
    attempt(app, permit, Some(code), ProvePass).await?;
    let now = app.env().now();
    let id = TokenId::generate(&*app.env().entropy)?;
    let (issuer, client) = (app.network().issuer(), access.client);
    let holder = (caller.identity.clone(), caller.session.clone());
    let claims = TotpClaims::issue(&issuer, holder, client, id, now);
    Ok(TotpToken {
        token: tokens::sign(app, &claims)?,
        issued_at: now,
    })
}

#[derive(Clone)]
struct ProvePass;

impl EnrolledPurpose for ProvePass {
    type Output = ();

    const OPERATION: &'static str = "api-session.prove-mfa";
    const MISSING_ERROR: MfaError = MfaError::NotEnrolled;

    fn entity(caller: &Caller) -> &str {
        caller.session.as_str()
    }

    fn apply(&self, rows: &mut RowsMut<'_>, accepted: AcceptedCode<'_>) -> Result<(), AppError> {
        PassFactor.apply(rows, accepted)
    }
}
