//! Permits that are used for longer than a request takes.

use super::is_idle;
use crate::app::App;
use crate::error::AppError;
use crate::session_validity::{find_own_session, resolve_again};
use portcullis_domain::access::{AccessDeniedError, Action, Permit};
use portcullis_domain::clock::Timestamp;

/// Checks that a permit would be given again to the same credentials, and returns when that may have
/// changed by time alone. It counts as use of the session, so nothing that is checked often enough ends
/// for lack of use.
///
/// Call it again after each commit, as [`ChangeFeed`](crate::change_feed::ChangeFeed) tells of them.
///
/// # Errors
///
/// [`AppError::Denied`] when the session or the right is over, or the access token has expired.
pub fn recheck<A: Action>(app: &App, permit: &Permit<A>) -> Result<Option<Timestamp>, AppError> {
    let now = app.env().now();
    let lifetimes = app.settings().session_lifetimes;
    let caller = permit.caller();
    let token_end = caller.access_token.as_ref().map(|token| token.expires_at);
    if token_end.is_some_and(|end| now >= end) {
        return Err(AccessDeniedError.into());
    }
    let view = app.snapshot()?;
    let live = find_own_session(view.rows(), caller, lifetimes, now)?;
    if is_idle(app, &live.session.entity, now) {
        return Err(AccessDeniedError.into());
    }
    let hash = live.session.entity.token_hash;
    let ends = [live.ends_at(lifetimes), token_end];
    permit.recheck(&resolve_again(view.rows(), live, caller)?)?;
    app.projections().sessions().touch(hash, now);
    Ok(ends.into_iter().flatten().min())
}

#[cfg(test)]
mod tests;
