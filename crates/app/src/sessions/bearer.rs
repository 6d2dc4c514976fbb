//! Access tokens as credentials of requests.

use super::{PresentedCredentials, binding, oidc_hash, second_factor_token};
use crate::app::App;
use crate::error::AppError;
use crate::session_validity::{LiveSession, RevocableToken, validate};
use crate::signers::{BearerTokenError, BearerTokens};
use crate::tokens::{self, UnverifiedError};
use portcullis_domain::access::{AccessToken, Caller, Origin};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ApiSessionId;
use portcullis_oidc::claims::{AccessClaims, ClaimsError};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue};
use std::sync::Arc;

/// Resolves the first access token among the bearer tokens of a request to its caller, and returns
/// that with the position of the token. The others count as tokens of external signers.
///
/// Everything but the signature is read from the current store, as for sessions of `zt-session`.
///
/// # Errors
///
/// In the inner result, what is wrong with the tokens: [`BearerTokenError::Missing`] if they are
/// tokens of this controller, but none of them is an access token.
pub async fn resolve_bearer(
    app: &App,
    tokens: BearerTokens<'_>,
    certificates: &[&[u8]],
    origin: Origin,
) -> Result<Result<(Arc<Caller>, usize), BearerTokenError>, AppError> {
    let mut fault = BearerTokenError::Missing;
    for (position, token) in tokens.iter().enumerate() {
        match tokens::verify_access(app, token) {
            Ok(claims) => {
                let presented = PresentedCredentials {
                    token,
                    certificates,
                    tokens,
                };
                let caller = resolve_claims(app, &claims, presented, origin).await?;
                return Ok(caller.map(|caller| (caller, position)));
            },
            Err(UnverifiedError::Foreign) => fault = fault.max(BearerTokenError::Invalid),
            Err(UnverifiedError::Invalid) => {},
        }
    }
    Ok(Err(fault))
}

async fn resolve_claims(
    app: &App,
    claims: &AccessClaims,
    presented: PresentedCredentials<'_>,
    origin: Origin,
) -> Result<Result<Arc<Caller>, BearerTokenError>, AppError> {
    let live = match find_session(app, claims, presented.certificates)? {
        Ok(live) => live,
        Err(fault) => return Ok(Err(fault)),
    };
    let (identity, policy) = (&live.identity.entity, &live.policy);
    let proof = second_factor_token::verify(app, identity, policy, presented.tokens).await?;
    let token = access_token(claims);
    let caller = live.into_caller(origin, Some(token), proof.into_token());
    Ok(Ok(Arc::new(caller)))
}

/// Judges an access token by its claims, the certificates of the connection, and the current records.
pub(crate) fn find_session(
    app: &App,
    claims: &AccessClaims,
    certificates: &[&[u8]],
) -> Result<Result<LiveSession, BearerTokenError>, AppError> {
    let view = app.snapshot()?;
    let live = match find_by_access_claims(app, view.rows(), claims)? {
        Ok(live) => live,
        Err(fault) => return Ok(Err(fault)),
    };
    let record = &live.session.entity;
    if !binding::is_bound_to(app, view.rows(), record, &claims.session, certificates)? {
        return Ok(Err(BearerTokenError::Invalid));
    }
    let sessions = app.projections().sessions();
    sessions.touch(live.session.entity.token_hash, app.env().now());
    Ok(Ok(live))
}

/// Judges an access token by its claims and by the current records, whoever presents it.
pub(super) fn find_by_access_claims(
    app: &App,
    rows: Rows<'_>,
    claims: &AccessClaims,
) -> Result<Result<LiveSession, BearerTokenError>, AppError> {
    let now = app.env().now();
    let served = app.network().serving_state();
    let validation = tokens::validation(&served.issuers, now);
    match claims.validate(&validation) {
        Ok(()) => {},
        Err(ClaimsError::Expired) => return Ok(Err(BearerTokenError::Expired)),
        Err(error) => {
            tracing::debug!(%error, "an access token is refused");
            return Ok(Err(BearerTokenError::Invalid));
        },
    }
    let session = &claims.session;
    let revocable = RevocableToken {
        id: claims.jti.as_str(),
        session: &session.z_asid,
        identity: &session.sub,
        issued_at: time(claims.iat),
    };
    let live = find_by_token(app, rows, revocable)?;
    Ok(live.ok_or(BearerTokenError::Invalid))
}

/// Finds the session that a signed token stands for; `None` when it is over, belongs to another
/// identity, or the token was revoked.
pub(crate) fn find_by_token(
    app: &App,
    rows: Rows<'_>,
    token: RevocableToken<'_>,
) -> Result<Option<LiveSession>, AppError> {
    let live = find_oidc(app, rows, token.session)?;
    let Some(live) = live.filter(|live| live.identity.entity.id == *token.identity) else {
        return Ok(None);
    };
    Ok((!token.is_revoked(rows)?).then_some(live))
}

/// Finds the session of an OIDC login by its id; `None` when it is over.
pub(crate) fn find_oidc(
    app: &App,
    rows: Rows<'_>,
    id: &ApiSessionId,
) -> Result<Option<LiveSession>, AppError> {
    match find_oidc_record(app, rows, id)? {
        Some(session) => {
            let lifetimes = app.settings().session_lifetimes;
            validate(rows, session, lifetimes, app.env().now())
        },
        None => Ok(None),
    }
}

/// Finds the record of the session of an OIDC login, whether or not it is still valid.
pub(crate) fn find_oidc_record(
    app: &App,
    rows: Rows<'_>,
    id: &ApiSessionId,
) -> Result<Option<Found<Arc<ApiSession>>>, StoreError> {
    let by_id = UniqueValue::new(UniqueIndex::ApiSessionToken, oidc_hash(app, id).0);
    rows.find_shared(&by_id)
}

/// The access token of a request.
fn access_token(claims: &AccessClaims) -> AccessToken {
    AccessToken {
        id: claims.jti.clone(),
        client: claims.session.client_id,
        issued_at: time(claims.iat),
        expires_at: time(claims.exp),
    }
}

/// A time of a token. Those that this controller signed are in range.
pub(crate) fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}
