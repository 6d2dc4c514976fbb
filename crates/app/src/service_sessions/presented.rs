//! Service sessions that routers present for their clients.

use super::grant_evaluator::GrantEvaluator;
use crate::app::App;
use crate::error::AppError;
use crate::routers::ConnectedRouter;
use crate::session_validity::{LiveSession, RevocableToken};
use crate::sessions::time;
use crate::tokens;
use portcullis_domain::ids::{RecordNumber, SessionId};
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

/// The positions of those of these service sessions that are over, or whose grant has ended.
///
/// # Errors
///
/// [`AppError::NotReady`] while the service sessions are still being loaded.
pub fn find_ended(
    app: &App,
    _router: &ConnectedRouter,
    ids: &[impl AsRef<str>],
) -> Result<Vec<usize>, AppError> {
    app.require_lists()?;
    let view = app.snapshot()?;
    let rows = view.rows();
    let grants = GrantEvaluator::new(app, app.env().now());
    let mut ended = Vec::new();
    for (position, id) in ids.iter().enumerate() {
        let key = rows.locate(&reference(&SessionId::from_wire(id.as_ref())))?;
        let is_granted = match key {
            Some(key) => grants.is_granted(rows, RecordNumber(key.id().1))?,
            None => false,
        };
        if !is_granted {
            ended.push(position);
        }
    }
    Ok(ended)
}

fn belongs_to(claims: &ServiceSessionClaims, live: &LiveSession) -> bool {
    let session = &live.session.entity;
    claims.z_asid == session.id
        && claims.z_iid == live.identity.entity.id
        && claims.z_leg == session.oidc.is_none()
}

#[cfg(test)]
mod tests;
