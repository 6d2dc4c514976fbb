//! API sessions: login, resolution of tokens, logout, expiry.

mod bearer;
mod binding;
mod certificates;
mod cleanup;
mod connect_event;
pub mod for_routers;
mod idle;
mod list;
mod liveness;
mod login;
mod presented;
mod recheck;
mod sealed_token;
mod second_factor_token;
mod session_quota;
mod totp;
mod view;

pub use bearer::resolve_bearer;
pub(crate) use bearer::{find_by_token, find_oidc, find_oidc_record, find_session, time};
pub(crate) use binding::{end_other_sessions, is_bound_to, rebind};
pub use certificates::{
    CreateCertificate, DeleteCertificate, NewCertificate, ReadCertificates, create_certificate,
    delete_certificate, list_certificates, read_certificate,
};
pub use cleanup::{flush_activity, sweep};
pub use connect_event::publish_request;
use idle::{idle_end, idle_end_after, is_idle, last_activity};
pub(crate) use list::check_may_end;
pub use list::{AdminSessionView, Delete, Read, delete, list, read};
pub(crate) use liveness::{Standing, is_live, standing};
pub use login::{
    LoginError, LoginRequest, NewSession, with_certificate, with_password, with_token,
};
pub(crate) use login::{
    PasswordAttempt, PasswordPurpose, record_failed_password, reset_wrong_passwords,
};
pub(crate) use presented::{ends_at, find_presented};
pub use recheck::recheck;
pub(crate) use totp::{record_totp_enrollment, record_totp_pass};

pub(crate) use view::open_factor_views;
use view::{PendingActions, build_view};

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::records::get_policy;
use crate::records::own_session_key;
use crate::session_revocation::SessionRevocation;
use crate::session_validity::{LiveSession, validate};
use crate::signers::BearerTokens;
use portcullis_domain::access::{
    Access, AccessDeniedError, AuthLevel, Caller, Origin, Permit, SecondFactorToken,
};
use portcullis_domain::api_session::{ApiSession, OpenFactor, TokenHash};
use portcullis_domain::audit::Actor;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::ApiSessionId;
use portcullis_domain::view::ApiSessionView;
use portcullis_storage::tables::{Rows, UniqueIndex, UniqueValue, identity_key};
use std::sync::Arc;

actions! {
    /// Reads the caller's own session.
    ReadOwn = Access::Partial;
    /// Ends the caller's own session.
    End = Access::Partial;
}

const TOKEN_DOMAIN: &str = "api session token";

/// Keyed hash by which the token of a session is looked up.
pub(crate) fn token_hash(app: &App, token: &str) -> TokenHash {
    TokenHash(app.vault.lookup_hash(TOKEN_DOMAIN, token.as_bytes()))
}

const OIDC_DOMAIN: &str = "OIDC session";

/// Keyed hash by which the session of an OIDC login is looked up.
pub(crate) fn oidc_hash(app: &App, id: &ApiSessionId) -> TokenHash {
    TokenHash(app.vault.lookup_hash(OIDC_DOMAIN, id.as_str().as_bytes()))
}

/// Credentials that a request presents to use a session.
#[derive(Debug, Clone, Copy)]
pub struct PresentedCredentials<'p> {
    pub token: &'p str,
    /// Certificate chain of the connection in DER, leaf first.
    pub certificates: &'p [&'p [u8]],
    /// Bearer tokens of external signers.
    pub tokens: BearerTokens<'p>,
}

/// Resolves a session token to its caller and records activity.
///
/// Everything is read from the current store, so deleting, disabling or demoting an identity takes
/// effect at once. `None` for a token without a valid session.
pub async fn resolve(
    app: &App,
    presented: PresentedCredentials<'_>,
    origin: Origin,
) -> Result<Option<Arc<Caller>>, AppError> {
    let Some(live) = find_bound(app, presented)? else {
        return Ok(None);
    };
    let (identity, policy) = (&live.identity.entity, &live.policy);
    let token = second_factor_token::verify(app, identity, policy, presented.tokens).await?;
    Ok(Some(Arc::new(live.into_caller(
        origin,
        None,
        token.into_token(),
    ))))
}

/// The token of the signer that the policy of a session demands, among those that a request
/// presents.
pub(crate) async fn second_factor(
    app: &App,
    live: &LiveSession,
    tokens: BearerTokens<'_>,
) -> Result<Option<SecondFactorToken>, AppError> {
    let (identity, policy) = (&live.identity.entity, &live.policy);
    let token = second_factor_token::verify(app, identity, policy, tokens).await?;
    Ok(token.into_token())
}

/// Finds the session of a request, if its certificate binding allows the client to use it.
fn find_bound(
    app: &App,
    presented: PresentedCredentials<'_>,
) -> Result<Option<LiveSession>, AppError> {
    let view = app.snapshot()?;
    let hash = token_hash(app, presented.token);
    let Some(live) = find_live(app, view.rows(), hash)? else {
        return Ok(None);
    };
    if !binding::is_satisfied(app, view.rows(), &live.session, presented.certificates)? {
        return Ok(None);
    }
    app.projections().sessions().touch(hash, app.env().now());
    Ok(Some(live))
}

/// Checks that no factor but TOTP is open for a caller: a session that also lacks its bearer token
/// may not enroll in TOTP or answer it.
pub(crate) fn require_second_factor_token(rows: Rows<'_>, caller: &Caller) -> Result<(), AppError> {
    if caller.auth_level == AuthLevel::Full {
        return Ok(());
    }
    let key = own_session_key(caller);
    let session: Arc<ApiSession> = rows.get_shared(&key)?.ok_or(AccessDeniedError)?;
    let identity: Arc<Identity> = rows
        .get_shared(&identity_key(caller.identity_number))?
        .ok_or(AccessDeniedError)?;
    let policy = get_policy(rows, &identity)?;
    let verified_signer = caller
        .second_factor_token
        .as_ref()
        .map(|proof| &proof.signer);
    let lacks_token = session
        .open_factors(&policy, verified_signer)
        .iter()
        .any(|factor| matches!(factor, OpenFactor::Token(_)));
    if lacks_token {
        return Err(AppError::Denied {
            rule: Some(
                "the auth policy requires a JWT of an external signer; send it as a bearer token \
                 in the Authorization header",
            ),
        });
    }
    Ok(())
}

/// Finds the session with a token; `None` when it is over.
fn find_live(app: &App, rows: Rows<'_>, hash: TokenHash) -> Result<Option<LiveSession>, AppError> {
    let by_token = UniqueValue::new(UniqueIndex::ApiSessionToken, hash.0);
    let now = app.env().now();
    match rows.find_shared::<ApiSession>(&by_token)? {
        Some(session) if !is_idle(app, &session.entity, now) => {
            validate(rows, session, app.settings().session_lifetimes, now)
        },
        Some(_) | None => Ok(None),
    }
}

/// Reads the caller's own session.
pub fn read_own(app: &App, permit: &Permit<ReadOwn>) -> Result<ApiSessionView, AppError> {
    let caller = permit.caller();
    let view = app.snapshot()?;
    let key = own_session_key(caller);
    let gone = || AppError::not_found("API session", caller.session.as_str());
    let session: Arc<ApiSession> = view.rows().get_shared(&key)?.ok_or_else(gone)?;
    let identity: Arc<Identity> = view
        .rows()
        .get_shared(&identity_key(caller.identity_number))?
        .ok_or_else(gone)?;
    let policy = get_policy(view.rows(), &identity)?;
    let verified_signer = caller
        .second_factor_token
        .as_ref()
        .map(|proof| &proof.signer);
    let open = PendingActions::load(view.rows(), &session, &identity, &policy, verified_signer)?;
    let session = Arc::unwrap_or_clone(session);
    Ok(ApiSessionView {
        access_token: caller.access_token.clone(),
        ..build_view(app, session, &identity, open)
    })
}

/// Ends the caller's own session.
pub async fn end(app: &App, permit: &Permit<End>) -> Result<(), AppError> {
    let caller = permit.caller();
    let key = own_session_key(caller);
    let revocation = SessionRevocation::new(app);
    app.commit(Actor::caller(caller), move |rows| {
        rows.set_removal_verb("end");
        // It may have ended in the meantime, which is the goal.
        let session = rows.rows().get::<ApiSession>(&key)?;
        if let Some(session) = &session {
            revocation.end(rows, &key, session)?;
        }
        Ok::<_, AppError>(())
    })
    .await
}

#[cfg(test)]
mod tests;
