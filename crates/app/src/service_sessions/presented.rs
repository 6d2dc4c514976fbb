//! Service sessions whose tokens routers present for their clients.

use crate::app::App;
use crate::error::AppError;
use crate::session_validity::{LiveSession, RevocableToken};
use crate::sessions::time;
use crate::tokens;
use portcullis_domain::session::Session;
use portcullis_oidc::claims::ServiceSessionClaims;
use portcullis_storage::tables::{Found, Rows, reference};
use std::sync::Arc;

/// Finds the service session with a token; `None` when it is over, was revoked, or belongs to another
/// API session. Whether its grant still holds is not judged here.
pub(crate) fn find_presented(
    app: &App,
    rows: Rows<'_>,
    live: &LiveSession,
    token: &str,
) -> Result<Option<Arc<Session>>, AppError> {
    let Ok(claims) = tokens::verify_service_session(app, token) else {
        return Ok(None);
    };
    if !claims.counts_at(app.env().now()) || !belongs_to(&claims, live) {
        return Ok(None);
    }
    let revocable = RevocableToken {
        id: claims.jti.as_str(),
        session: &claims.z_asid,
        identity: &claims.z_iid,
        issued_at: time(claims.iat),
    };
    if revocable.is_revoked(rows)? {
        return Ok(None);
    }
    let found: Option<Found<Arc<Session>>> = rows.find_shared(&reference(&claims.jti))?;
    let stored = found.map(|found| found.entity);
    Ok(stored.filter(|stored| {
        stored.api_session_token == live.session.entity.token_hash
            && stored.service == claims.sub
            && stored.grant == claims.z_st
    }))
}

fn belongs_to(claims: &ServiceSessionClaims, live: &LiveSession) -> bool {
    let session = &live.session.entity;
    claims.z_asid == session.id
        && claims.z_iid == live.identity.entity.id
        && claims.z_leg == session.oidc.is_none()
}
