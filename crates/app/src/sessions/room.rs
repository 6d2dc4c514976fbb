//! Room for a new session: those of an identity take no more than its share of the store, so that
//! none can fill it or make its own deletion a burden.

use crate::app::App;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::ids::{ApiSessionId, Number};
use portcullis_domain::quota::Stored as _;
use portcullis_index::Session;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{API_SESSION, Found, Rows, RowsMut, identity_key};
use std::ops::ControlFlow;

/// Among how many sessions the least recently used are looked for; also the most that make room
/// for a single one.
const CANDIDATES: usize = 16;

/// What has to go when an identity opens one more session.
///
/// Nobody is locked out by having had too many: of a few sessions the ones go that were used least
/// recently. Memory says which; that they are still there, and that others go in the place of
/// those that are not, is decided in the transaction, since logins queue up before it.
#[derive(Debug, Clone)]
pub(super) struct Room {
    identity: RecordKey,
    /// How many bytes they take too much, those apart that are being opened at the same moment.
    surplus: usize,
    /// The least recently used first.
    candidates: Vec<Number>,
}

impl Room {
    /// Looks at the sessions that an identity has, before it opens one more.
    pub(super) fn for_one_more(app: &App, identity: Number, new: &ApiSession) -> Self {
        let sessions = app.projections().sessions();
        let share = app.settings().storage_quota.api_sessions();
        let wanted = sessions.owned_bytes(identity) + new.stored_bytes();
        let surplus = wanted.saturating_sub(share);
        let candidates = if surplus == 0 {
            Vec::new()
        } else {
            let mut few: Vec<_> = sessions
                .owned_by(identity, 0, CANDIDATES)
                .into_iter()
                .filter_map(|number| sessions.get(number))
                .collect();
            few.sort_by_key(Session::last_activity_at);
            few.iter().map(|session| session.number).collect()
        };
        Self {
            identity: identity_key(identity),
            surplus,
            candidates,
        }
    }

    /// Ends the sessions that have to go; answers which they were.
    pub(super) fn make(&self, rows: &mut RowsMut<'_>) -> Result<Vec<ApiSessionId>, StoreError> {
        let (mut ended, mut freed) = (Vec::new(), 0);
        while freed < self.surplus
            && ended.len() < CANDIDATES
            && let Some(session) = self.next(rows.rows())?
        {
            rows.remove(&session.key, &session.entity)?;
            freed += session.entity.stored_bytes();
            ended.push(session.entity.id);
        }
        Ok(ended)
    }

    /// The first candidate that is still there, or else the oldest session.
    fn next(&self, rows: Rows<'_>) -> Result<Option<Found<ApiSession>>, StoreError> {
        for number in &self.candidates {
            let key = self.identity.dependent(API_SESSION, number.0);
            if let Some(entity) = rows.get(&key)? {
                return Ok(Some(Found { key, entity }));
            }
        }
        let mut oldest = None;
        rows.each_in(&self.identity.dependents(API_SESSION), &mut |session| {
            oldest = Some(session);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(oldest)
    }
}
