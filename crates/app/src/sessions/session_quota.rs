//! Session quotas per identity, so that no identity can fill the store or make its own deletion
//! expensive.

use crate::app::App;
use crate::error::AppError;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::ids::{ApiSessionId, RecordNumber};
use portcullis_domain::quota::StoredSize as _;
use portcullis_index::MirroredSession;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{API_SESSION, Found, Rows, RowsMut, identity_key};
use std::ops::ControlFlow;

/// Maximum number of sessions that are ended for a new one.
const MAX_EVICTIONS: usize = 16;

/// Number of sessions of finished logins of which the least recently used ones are ended.
const SAMPLE: usize = 16;

/// Number of sessions among which those of unfinished logins are looked for; more than the usual
/// quota lets one identity have. With a larger quota, those beyond are not seen: sessions are taken
/// in the order of their ids, which is random, so none is seen for its age.
const MAX_SCANNED: usize = 1024;

/// Number of unfinished logins that may be ended for those that are opened at the same time.
const MAX_UNFINISHED: usize = 64;

/// Sessions to end before an identity opens another one.
///
/// Nobody is locked out by too many sessions: first those of unfinished logins are ended, then the
/// least recently used ones of a small sample. So whoever knows a password but no TOTP code ends
/// hardly any other sessions than their own. The candidates are chosen from memory; that they still
/// exist, that an unfinished one was not finished meanwhile, and which ones replace those that are
/// out, is decided in the transaction, since logins queue up before it.
#[derive(Clone)]
pub(super) struct EvictionPlan {
    identity: RecordKey,
    /// Bytes beyond the quota, not counting sessions that are opened concurrently.
    excess_bytes: usize,
    candidates: Candidates,
    revocation: SessionRevocation,
}

/// Sessions that may be ended, the first to go first.
#[derive(Debug, Clone, Default)]
struct Candidates {
    /// Of unfinished logins; they go before all others, and only while that holds.
    unfinished: Vec<RecordNumber>,
    finished: Vec<RecordNumber>,
}

impl EvictionPlan {
    /// Selects candidates among the sessions of an identity.
    pub(super) fn new(app: &App, identity: RecordNumber, new: &ApiSession) -> Self {
        let sessions = app.projections().sessions();
        let quota = app.settings().storage_quota.api_sessions();
        let wanted = sessions.owned_bytes(identity) + new.stored_bytes();
        let excess_bytes = wanted.saturating_sub(quota);
        let candidates = if excess_bytes == 0 {
            Candidates::default()
        } else {
            let owned: Vec<_> = sessions
                .owned_by(identity, 0, MAX_SCANNED)
                .into_iter()
                .filter_map(|number| sessions.get(number))
                .collect();
            Candidates::choose(owned)
        };
        Self {
            identity: identity_key(identity),
            excess_bytes,
            candidates,
            revocation: SessionRevocation::new(app),
        }
    }

    /// Ends sessions until the new one fits; returns their ids.
    pub(super) fn apply(&self, rows: &mut RowsMut<'_>) -> Result<Vec<ApiSessionId>, AppError> {
        let (mut ended, mut freed) = (Vec::new(), 0);
        while freed < self.excess_bytes
            && ended.len() < MAX_EVICTIONS
            && let Some(session) = self.next(rows.rows())?
        {
            self.revocation.end(rows, &session.key, &session.entity)?;
            freed += session.entity.stored_bytes();
            ended.push(session.entity.id);
        }
        Ok(ended)
    }

    /// The first candidate that still is one, or else the oldest session.
    fn next(&self, rows: Rows<'_>) -> Result<Option<Found<ApiSession>>, StoreError> {
        let unfinished =
            self.first_of(&self.candidates.unfinished, rows, ApiSession::is_unfinished);
        if let Some(session) = unfinished? {
            return Ok(Some(session));
        }
        if let Some(session) = self.first_of(&self.candidates.finished, rows, |_session| true)? {
            return Ok(Some(session));
        }
        let mut oldest = None;
        rows.for_each_in(&self.identity.dependents(API_SESSION), &mut |session| {
            oldest = Some(session);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(oldest)
    }

    /// The first of these sessions that still exists and may be ended.
    fn first_of(
        &self,
        numbers: &[RecordNumber],
        rows: Rows<'_>,
        may_end: impl Fn(&ApiSession) -> bool,
    ) -> Result<Option<Found<ApiSession>>, StoreError> {
        for number in numbers {
            let key = self.identity.dependent(API_SESSION, number.0);
            if let Some(entity) = rows.get(&key)?.filter(&may_end) {
                return Ok(Some(Found { key, entity }));
            }
        }
        Ok(None)
    }
}

impl Candidates {
    fn choose(owned: Vec<MirroredSession<'_>>) -> Self {
        let (mut unfinished, mut finished): (Vec<_>, Vec<_>) = owned
            .into_iter()
            .partition(|session| session.record.is_unfinished());
        unfinished.sort_by_key(MirroredSession::last_activity_at);
        unfinished.truncate(MAX_UNFINISHED);
        finished.truncate(SAMPLE);
        finished.sort_by_key(MirroredSession::last_activity_at);
        let numbers = |sessions: Vec<MirroredSession<'_>>| {
            let numbers = sessions.into_iter().map(|session| session.number);
            numbers.collect()
        };
        Self {
            unfinished: numbers(unfinished),
            finished: numbers(finished),
        }
    }
}

#[cfg(test)]
mod tests;
