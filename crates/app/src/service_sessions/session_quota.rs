//! Service session quotas per identity, so that no identity can fill the store or make its own
//! deletion expensive.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::{RecordNumber, SessionId};
use portcullis_domain::quota::StoredSize as _;
use portcullis_domain::session::Session;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{RowsMut, SESSION, identity_key};
use std::ops::ControlFlow;

/// Maximum number of sessions that are ended for a new one.
const MAX_EVICTIONS: usize = 16;

/// Bytes by which the sessions of an identity would exceed its quota with a new one, not counting
/// sessions that are created concurrently.
pub(super) fn excess_bytes(
    app: &App,
    identity: RecordNumber,
    new: &Session,
) -> Result<usize, AppError> {
    let sessions = app.require_lists()?.service_sessions();
    let taken = sessions.owned_bytes(Owner::Identity(identity));
    let quota = app.settings().storage_quota.service_sessions();
    Ok((taken + new.stored_bytes()).saturating_sub(quota))
}

/// Ends the oldest sessions of an identity until `excess_bytes` are free; returns their ids. A
/// client that still needs one requests it again.
pub(super) fn evict_oldest(
    rows: &mut RowsMut<'_>,
    identity: RecordNumber,
    excess_bytes: usize,
) -> Result<Vec<SessionId>, StoreError> {
    let mut oldest = Vec::new();
    if excess_bytes == 0 {
        return Ok(oldest);
    }
    let range = identity_key(identity).dependents(SESSION);
    let (mut found, mut freed) = (Vec::new(), 0);
    rows.rows().for_each_in::<Session>(&range, &mut |session| {
        freed += session.entity.stored_bytes();
        found.push(session);
        Ok(if freed >= excess_bytes || found.len() == MAX_EVICTIONS {
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

#[cfg(test)]
mod tests;
