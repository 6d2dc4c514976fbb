//! When sessions end that are not used.
//!
//! Those of OIDC have no idle timeout, and last as long as their tokens.

use crate::app::App;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};

/// How long a session lives after the start of the controller, at least, if it was alive at the last
/// stop. Only routers know which sessions were used meanwhile. Those of OpenZiti dial a controller
/// that is away every five minutes, and tell of sessions no earlier than two minutes after they have
/// started; the rest is for jitter.
const GRACE: SignedDuration = SignedDuration::from_mins(10);

/// Whether a session exceeded its idle timeout.
pub(super) fn is_idle(app: &App, session: &ApiSession, now: Timestamp) -> bool {
    idle_end(app, session).is_some_and(|end| now >= end)
}

/// When a session ends that is not used any more; `None` for those without idle timeout.
pub(super) fn idle_end(app: &App, session: &ApiSession) -> Option<Timestamp> {
    idle_end_after(app, session, last_activity(app, session))
}

/// The same, with the time of the last use.
pub(super) fn idle_end_after(
    app: &App,
    session: &ApiSession,
    last_used: Timestamp,
) -> Option<Timestamp> {
    let timeout = app.settings().session_timeout;
    let has_timeout = session.oidc.is_none();
    has_timeout.then(|| {
        let end = ApiSession::expires_at(last_used, timeout);
        // Sweeps remove within seconds what is over, so what the store has had since before the start
        // was alive at the last stop.
        if last_used < app.started_at {
            end.max(saturating_add(app.started_at, timeout.min(GRACE)))
        } else {
            end
        }
    })
}

/// Last use of a session; the in-memory mirror is newer than the store.
pub(super) fn last_activity(app: &App, session: &ApiSession) -> Timestamp {
    app.projections()
        .sessions()
        .find(session.token_hash)
        .map_or(session.last_activity_at, |cached| {
            cached.last_activity_at().max(session.last_activity_at)
        })
}

#[cfg(test)]
mod tests;
