//! Room for a new service session: no identity has more than so many, so that none can fill the store
//! or make its own deletion a burden.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::{Number, SessionId};
use portcullis_domain::session::Session;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{RowsMut, SESSION, identity_key};
use std::ops::ControlFlow;

/// Most service sessions of one identity, those apart that are being granted at the same moment.
const MOST_SESSIONS: usize = 65_536;

/// Most sessions that make room for a single one.
const AT_ONCE: usize = 16;

/// How many sessions of an identity have to go when it is granted one more.
pub(super) fn surplus(app: &App, identity: Number) -> Result<usize, AppError> {
    let sessions = app.require_lists()?.service_sessions();
    let owned = sessions.owned_count(Owner::Identity(identity));
    Ok((owned + 1).saturating_sub(MOST_SESSIONS).min(AT_ONCE))
}

/// Ends the oldest sessions of an identity; answers which they were. Who still wants one of them asks
/// for it again.
pub(super) fn make(
    rows: &mut RowsMut<'_>,
    identity: Number,
    surplus: usize,
) -> Result<Vec<SessionId>, StoreError> {
    let mut oldest = Vec::new();
    if surplus == 0 {
        return Ok(oldest);
    }
    let range = identity_key(identity).dependents(SESSION);
    let mut found = Vec::new();
    rows.rows().each_in::<Session>(&range, &mut |session| {
        found.push(session);
        Ok(if found.len() == surplus {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    for session in found {
        rows.remove(&session.key, &session.entity)?;
        oldest.push(session.entity.id);
    }
    Ok(oldest)
}
