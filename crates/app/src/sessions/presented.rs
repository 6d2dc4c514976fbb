//! Sessions whose tokens routers present for their clients.
//!
//! The router has held the certificate of the client against what it knows of the session, so that is
//! not repeated: it could say anything.

use super::bearer::find_by_access_claims;
use super::{find_live, idle_end, token_hash};
use crate::app::App;
use crate::error::AppError;
use crate::session_validity::LiveSession;
use crate::tokens;
use portcullis_domain::api_session::OpenFactor;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::oidc_session::TokenId;
use portcullis_storage::tables::Rows;

/// A session whose token was presented.
pub(crate) struct PresentedSession {
    pub(crate) live: LiveSession,
    /// The access token that stands for it; `None` for a `zt-session`.
    pub(crate) access_token: Option<TokenId>,
}

/// Finds the session with a token, or the one for which an access token stands, and records activity.
/// `None` when it is over, or lacks a TOTP code.
///
/// A token of an external signer as second factor is shown with each request, and when signed tokens
/// are issued; routers have none to show. What a client does through them it has asked for with such a
/// request.
pub(crate) fn find_presented(
    app: &App,
    rows: Rows<'_>,
    token: &str,
) -> Result<Option<PresentedSession>, AppError> {
    let (found, access_token) = if tokens::is_signed(token) {
        match tokens::verify_access(app, token) {
            Ok(claims) => {
                let found = find_by_access_claims(app, rows, &claims)?.ok();
                (found, Some(claims.jti.clone()))
            },
            Err(_unverified) => (None, None),
        }
    } else {
        (find_live(app, rows, token_hash(app, token))?, None)
    };
    let complete = found.filter(is_complete);
    if let Some(live) = &complete {
        let sessions = app.projections().sessions();
        sessions.touch(live.session.entity.token_hash, app.env().now());
    }
    Ok(complete.map(|live| PresentedSession { live, access_token }))
}

/// Whether no TOTP code is missing.
pub(super) fn is_complete(live: &LiveSession) -> bool {
    let open = live.session.entity.open_factors(&live.policy, None);
    !open.contains(&OpenFactor::Totp)
}

/// When a session ends if it is not used any more and nothing changes; `None` for never.
pub(crate) fn ends_at(app: &App, live: &LiveSession) -> Option<Timestamp> {
    let ends = [
        live.ends_at(app.settings().session_lifetimes),
        idle_end(app, &live.session.entity),
    ];
    ends.into_iter().flatten().min()
}
