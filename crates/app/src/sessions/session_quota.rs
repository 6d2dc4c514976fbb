//! Session quotas per identity, so that no identity can fill the store or make its own deletion
//! expensive.

use crate::app::App;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::ids::{ApiSessionId, RecordNumber};
use portcullis_domain::quota::StoredSize as _;
use portcullis_index::MirroredSession;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{API_SESSION, Found, Rows, RowsMut, identity_key};
use std::ops::ControlFlow;

/// Number of sessions of which the least recently used one is ended, and maximum number of sessions
/// that are ended for a new one.
const MAX_EVICTIONS: usize = 16;

/// Number of sessions among which those of unfinished logins are looked for; more than the usual
/// quota lets one identity have.
const MAX_SCANNED: usize = 1024;

/// Number of unfinished logins that may be ended for those that are opened at the same time.
const MAX_UNFINISHED: usize = 64;

/// Sessions to end before an identity opens another one.
///
/// Nobody is locked out by too many sessions: first those of unfinished logins are ended, then the
/// least recently used ones of a small sample. So whoever knows a password but no TOTP code ends
/// hardly any other sessions than their own. The candidates are chosen from memory; that they still exist, and which ones replace
/// those that do not, is decided in the transaction, since logins queue up before it.
#[derive(Debug, Clone)]
pub(super) struct EvictionPlan {
    identity: RecordKey,
    /// Bytes beyond the quota, not counting sessions that are opened concurrently.
    excess_bytes: usize,
    /// The first to go first.
    candidates: Vec<RecordNumber>,
}

impl EvictionPlan {
    /// Selects candidates among the sessions of an identity.
    pub(super) fn new(app: &App, identity: RecordNumber, new: &ApiSession) -> Self {
        let sessions = app.projections().sessions();
        let quota = app.settings().storage_quota.api_sessions();
        let wanted = sessions.owned_bytes(identity) + new.stored_bytes();
        let excess_bytes = wanted.saturating_sub(quota);
        let candidates = if excess_bytes == 0 {
            Vec::new()
        } else {
            let owned: Vec<_> = sessions
                .owned_by(identity, 0, MAX_SCANNED)
                .into_iter()
                .filter_map(|number| sessions.get(number))
                .collect();
            choose_candidates(owned)
        };
        Self {
            identity: identity_key(identity),
            excess_bytes,
            candidates,
        }
    }

    /// Ends sessions until the new one fits; returns their ids.
    pub(super) fn apply(&self, rows: &mut RowsMut<'_>) -> Result<Vec<ApiSessionId>, StoreError> {
        let (mut ended, mut freed) = (Vec::new(), 0);
        while freed < self.excess_bytes
            && ended.len() < MAX_EVICTIONS
            && let Some(session) = self.next(rows.rows())?
        {
            rows.remove(&session.key, &session.entity)?;
            freed += session.entity.stored_bytes();
            ended.push(session.entity.id);
        }
        Ok(ended)
    }

    /// The first candidate that still exists, or else the oldest session.
    fn next(&self, rows: Rows<'_>) -> Result<Option<Found<ApiSession>>, StoreError> {
        for number in &self.candidates {
            let key = self.identity.dependent(API_SESSION, number.0);
            if let Some(entity) = rows.get(&key)? {
                return Ok(Some(Found { key, entity }));
            }
        }
        let mut oldest = None;
        rows.for_each_in(&self.identity.dependents(API_SESSION), &mut |session| {
            oldest = Some(session);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(oldest)
    }
}

fn choose_candidates(owned: Vec<MirroredSession<'_>>) -> Vec<RecordNumber> {
    let (mut unfinished, mut others): (Vec<_>, Vec<_>) = owned
        .into_iter()
        .partition(|session| session.record.is_unfinished());
    unfinished.sort_by_key(MirroredSession::last_activity_at);
    unfinished.truncate(MAX_UNFINISHED);
    others.truncate(MAX_EVICTIONS);
    others.sort_by_key(MirroredSession::last_activity_at);
    let candidates = unfinished.iter().chain(&others);
    candidates.map(|session| session.number).collect()
}

#[cfg(test)]
mod tests;
