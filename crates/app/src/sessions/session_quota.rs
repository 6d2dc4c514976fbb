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

/// Number of least recently used sessions that are considered, and maximum number of sessions that
/// are ended for a new one.
const MAX_EVICTIONS: usize = 16;

/// Sessions to end before an identity opens another one.
///
/// Nobody is locked out by too many sessions: the least recently used ones of a small sample are
/// ended. The candidates are chosen from memory; that they still exist, and which ones replace
/// those that do not, is decided in the transaction, since logins queue up before it.
#[derive(Debug, Clone)]
pub(super) struct EvictionPlan {
    identity: RecordKey,
    /// Bytes beyond the quota, not counting sessions that are opened concurrently.
    excess_bytes: usize,
    /// Least recently used first.
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
            let mut least_recent: Vec<_> = sessions
                .owned_by(identity, 0, MAX_EVICTIONS)
                .into_iter()
                .filter_map(|number| sessions.get(number))
                .collect();
            least_recent.sort_by_key(MirroredSession::last_activity_at);
            least_recent.iter().map(|session| session.number).collect()
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

#[cfg(test)]
mod tests;
