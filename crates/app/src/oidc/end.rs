//! The end of tokens and sessions: revocation (RFC 7009) and logout (OpenID Connect RP-Initiated
//! Logout).

use super::grant::TokenClient;
use crate::app::App;
use crate::error::AppError;
use crate::session_revocation::SessionRevocation;
use crate::sessions::{self, time};
use crate::tokens::{self, UnverifiedError};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::{self, SignedDuration, Timestamp};
use portcullis_domain::ids::{ApiSessionId, IdentityId, RevocationId};
use portcullis_domain::oidc_session::OidcClient;
use portcullis_domain::revocation::{Revocation, RevocationSpec, RevocationType};
use portcullis_domain::tags::Tags;
use portcullis_oidc::claims::{AccessClaims, IdClaims, RefreshClaims};
use portcullis_oidc::token_request::TokenError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{REVOCATION, RowsMut, reference};

/// Revokes a token that a client presents. A refresh token takes its whole session with it, an
/// access token goes alone. A token that does not count anyway is none to revoke.
///
/// # Errors
///
/// In the inner result, if the token belongs to another client.
pub async fn revoke(
    app: &App,
    token: &str,
    oidc_client: OidcClient,
    client: &TokenClient<'_>,
) -> Result<Result<(), TokenError>, AppError> {
    let served = app.network().serving_state();
    let is_foreign = |owner: OidcClient| owner != oidc_client;
    match tokens::verify::<RefreshClaims>(app, token) {
        Ok(claims) if is_foreign(claims.session.client_id) => return Ok(Err(TokenError::Invalid)),
        Ok(claims) => {
            // Whoever has it may end its session, also without its certificate.
            if claims
                .validate(&tokens::validation(&served.issuers, app.env().now()))
                .is_ok()
            {
                end_by_id(app, client.origin, &claims.session.z_asid, "revoke").await?;
            }
            return Ok(Ok(()));
        },
        Err(UnverifiedError::Foreign) => return Ok(Ok(())),
        Err(UnverifiedError::Invalid) => {},
    }
    let Ok(claims) = tokens::verify::<AccessClaims>(app, token) else {
        return Ok(Ok(()));
    };
    if is_foreign(claims.session.client_id) {
        return Ok(Err(TokenError::Invalid));
    }
    let end = time(claims.exp);
    if claims
        .validate(&tokens::validation(&served.issuers, app.env().now()))
        .is_ok()
    {
        let identity = &claims.session.sub;
        revoke_token(app, client.origin, identity, claims.jti.as_str(), end).await?;
    }
    Ok(Ok(()))
}

/// Ends the session that an ID token belongs to, which a client shows as `id_token_hint`; returns
/// the client. The token may have expired. `None` if it is none of this controller.
pub async fn end_session(
    app: &App,
    id_token: &str,
    origin: &Origin,
) -> Result<Option<OidcClient>, AppError> {
    let Ok(claims) = tokens::verify::<IdClaims>(app, id_token) else {
        return Ok(None);
    };
    let served = app.network().serving_state();
    if claims
        .validate_hint(&tokens::validation(&served.issuers, app.env().now()))
        .is_err()
    {
        return Ok(None);
    }
    if let Some(session) = &claims.z_asid {
        end_by_id(app, origin, session, "end").await?;
    }
    Ok(Some(claims.client_id))
}

/// Ends a session by its id, and revokes its tokens. The audit calls that by `verb`.
pub(super) async fn end_by_id(
    app: &App,
    origin: &Origin,
    id: &ApiSessionId,
    verb: &'static str,
) -> Result<(), AppError> {
    let found = {
        let view = app.snapshot()?;
        sessions::find_oidc_record(app, view.rows(), id)?
    };
    let Some(session) = found else {
        return Ok(());
    };
    let revocation = SessionRevocation::new(app);
    let actor = Actor::without_session(origin, session.entity.identity.as_str());
    app.commit(actor, move |rows| {
        rows.set_removal_verb(verb);
        if let Some(current) = rows.rows().get::<ApiSession>(&session.key)? {
            revocation.end(rows, &session.key, &current)?;
        }
        Ok::<_, AppError>(())
    })
    .await
}

/// Revokes one token until it expires.
async fn revoke_token(
    app: &App,
    origin: &Origin,
    identity: &IdentityId,
    id: &str,
    expires_at: Timestamp,
) -> Result<(), AppError> {
    let now = app.env().now();
    let id = RevocationId::from_wire(id);
    let spec = RevocationSpec {
        revoked: RevocationType::Jti,
        issued_before: now,
        // Times in tokens have no fractions.
        expires_at: clock::saturating_add(expires_at, SignedDuration::from_secs(1)),
        tags: Tags::default(),
    };
    let revocation = Revocation::new(id, spec, now)?;
    let key = RecordKey::root(REVOCATION, app.next_number(REVOCATION).0);
    let actor = Actor::without_session(origin, identity.as_str());
    app.commit(actor, move |rows: &mut RowsMut<'_>| {
        if rows
            .rows()
            .find::<Revocation>(&reference(&revocation.id))?
            .is_none()
        {
            rows.insert(&key, &revocation)?;
        }
        Ok::<_, AppError>(())
    })
    .await
}
