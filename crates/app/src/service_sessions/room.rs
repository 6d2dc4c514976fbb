//! Room for a new service session: those of an identity take no more than its share of the store, so
//! that none can fill it or make its own deletion a burden.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::{Number, SessionId};
use portcullis_domain::quota::Stored as _;
use portcullis_domain::session::Session;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{RowsMut, SESSION, identity_key};
use std::ops::ControlFlow;

/// Most sessions that make room for a single one.
const AT_ONCE: usize = 16;

/// How many bytes the sessions of an identity take too much when it is granted a new one, those apart
/// that are being granted at the same moment.
pub(super) fn surplus(app: &App, identity: Number, new: &Session) -> Result<usize, AppError> {
    let sessions = app.require_lists()?.service_sessions();
    let taken = sessions.owned_bytes(Owner::Identity(identity));
    let share = app.settings().storage_quota.service_sessions();
    Ok((taken + new.stored_bytes()).saturating_sub(share))
}

/// Ends the oldest sessions of an identity until so many bytes are free; answers which they were. Who
/// still wants one of them asks for it again.
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
    let (mut found, mut freed) = (Vec::new(), 0);
    rows.rows().each_in::<Session>(&range, &mut |session| {
        freed += session.entity.stored_bytes();
        found.push(session);
        Ok(if freed >= surplus || found.len() == AT_ONCE {
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
