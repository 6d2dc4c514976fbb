//! The end of sessions, with the revocation of their tokens.
//!
//! Without its record a session is over here. The revocation tells so to routers, which judge tokens by
//! themselves, until the last of them has expired.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::Change;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RevocationId;
use portcullis_domain::oidc_session::OidcSession;
use portcullis_domain::revocation::{Revocation, RevocationSpec, RevocationType};
use portcullis_domain::tags::Tags;
use portcullis_storage::engine::Engine;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, REVOCATION, RowsMut, reference};
use std::sync::Arc;

/// Ends sessions in a transaction.
#[derive(Clone)]
pub(crate) struct SessionRevocation {
    /// Where the numbers of the revocations come from; how many it takes is known in the transaction.
    numbers: Arc<dyn Engine<Change>>,
    now: Timestamp,
}

impl SessionRevocation {
    pub(crate) fn new(app: &App) -> Self {
        Self {
            numbers: Arc::clone(&app.engine),
            now: app.env().now(),
        }
    }

    /// Removes a session, and revokes its access tokens if it has signed ones.
    pub(crate) fn end(
        &self,
        rows: &mut RowsMut<'_>,
        key: &RecordKey,
        session: &ApiSession,
    ) -> Result<(), AppError> {
        rows.remove(key, session)?;
        let last = session.oidc.as_ref().and_then(OidcSession::access_ends_at);
        let Some(expires_at) = last.filter(|last| self.now < *last) else {
            return Ok(());
        };
        let id = RevocationId::from_wire(session.id.as_str());
        if rows.rows().find::<Revocation>(&reference(&id))?.is_some() {
            return Ok(());
        }
        let spec = RevocationSpec {
            revoked: RevocationType::ApiSession,
            issued_before: self.now,
            expires_at,
            tags: Tags::default(),
        };
        let key = RecordKey::root(REVOCATION, self.numbers.allocate(REVOCATION));
        Ok(rows.insert(&key, &Revocation::new(id, spec, self.now)?)?)
    }

    /// Ends the sessions of the identity at a key that meet a condition.
    pub(crate) fn end_those_of(
        &self,
        rows: &mut RowsMut<'_>,
        identity: &RecordKey,
        condition: impl Fn(&ApiSession) -> bool,
    ) -> Result<(), AppError> {
        let sessions: Vec<Found<ApiSession>> = rows.rows().dependents(identity)?;
        for found in sessions.iter().filter(|found| condition(&found.entity)) {
            self.end(rows, &found.key, &found.entity)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
