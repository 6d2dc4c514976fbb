//! Sessions of OpenID Connect that ended before their tokens have expired.
//!
//! Routers accept a token until it expires or they hear of a revocation. What ends a session leaves a
//! record of one, unless the session goes with its identity. Then nothing else is written, so the
//! revocation is made here.

use super::entity;
use portcullis_data_model::{Change as ModelChange, EntityKey, Kind};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::EntityChange;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, RecordNumber};
use portcullis_domain::oidc_session::OidcSession;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Debug, Default)]
pub(super) struct EndedSessions {
    /// Sessions that access tokens were issued for, and when the last of those expires.
    live: HashMap<RecordNumber, (ApiSessionId, Timestamp)>,
    ended: BTreeMap<ApiSessionId, Timestamp>,
    /// Revocations that are records.
    recorded: HashSet<String>,
}

impl EndedSessions {
    /// Takes over a change of a session; returns the revocation that follows from it.
    pub(super) fn follow(
        &mut self,
        change: &EntityChange<ApiSession>,
        now: Timestamp,
    ) -> Option<ModelChange> {
        let Some(session) = &change.entity else {
            let (id, expires_at) = self.live.remove(&change.number)?;
            return self.revoke(id, expires_at, now);
        };
        let end = session.oidc.as_ref().and_then(OidcSession::access_ends_at);
        if let Some(end) = end {
            self.live.insert(change.number, (session.id.clone(), end));
        }
        None
    }

    /// Goes on where `before` was, with the sessions that are there now. Returns what has changed, and
    /// all revocations.
    pub(super) fn renew(&mut self, mut before: Self, now: Timestamp) -> Vec<ModelChange> {
        let mut changes = before.expire(now);
        let gone = before.live.into_iter();
        let gone = gone.filter(|(number, _)| !self.live.contains_key(number));
        let ended = gone.map(|(_, tokens)| tokens).chain(before.ended);
        let ended: Vec<_> = ended.collect();
        let revoked = ended.into_iter();
        changes.extend(revoked.filter_map(|(id, expires_at)| self.revoke(id, expires_at, now)));
        changes
    }

    fn revoke(
        &mut self,
        id: ApiSessionId,
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Option<ModelChange> {
        let is_open = now < expires_at && !self.recorded.contains(id.as_str());
        is_open.then(|| {
            let revocation = entity::ended_session(&id, expires_at);
            self.ended.insert(id, expires_at);
            ModelChange::Set(revocation)
        })
    }

    /// Takes over whether there is a record of a revocation, which says the same or more.
    pub(super) fn set_recorded(&mut self, id: &str, is_recorded: bool) {
        if is_recorded {
            self.ended.remove(&ApiSessionId::from_wire(id));
            self.recorded.insert(id.to_owned());
        } else {
            self.recorded.remove(id);
        }
    }

    /// Whether there are revocations of which no token is left.
    pub(super) fn has_expired(&self, now: Timestamp) -> bool {
        self.ended.values().any(|expires_at| *expires_at <= now)
    }

    /// Ends the revocations of which no token is left.
    pub(super) fn expire(&mut self, now: Timestamp) -> Vec<ModelChange> {
        let expired = self
            .ended
            .extract_if(.., |_, expires_at| *expires_at <= now);
        expired
            .map(|(id, _)| {
                ModelChange::Removed(EntityKey {
                    kind: Kind::Revocation,
                    id: id.to_string(),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
