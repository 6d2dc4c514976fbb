//! Revocation of the tokens of a session that is ended on purpose.
//!
//! Without its record a session is over here. The revocation tells so to routers, which judge
//! tokens by themselves.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RevocationId;
use portcullis_domain::oidc_session::OidcSession;
use portcullis_domain::revocation::{Revocation, RevocationSpec, RevocationType};
use portcullis_domain::tags::Tags;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{REVOCATION, RowsMut, reference};

/// What has to be prepared before the transaction that ends a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionRevocation {
    key: RecordKey,
    now: Timestamp,
}

impl SessionRevocation {
    pub(crate) fn new(app: &App) -> Self {
        Self {
            key: RecordKey::root(REVOCATION, app.next_number(REVOCATION).0),
            now: app.env().now(),
        }
    }

    /// Removes a session, and revokes its tokens if it has signed ones.
    pub(crate) fn end(
        &self,
        rows: &mut RowsMut<'_>,
        key: &RecordKey,
        session: &ApiSession,
    ) -> Result<(), AppError> {
        rows.remove(key, session)?;
        let oidc = session.oidc.as_ref();
        let has_tokens = |oidc: &&OidcSession| !oidc.is_pending() && !oidc.has_expired(self.now);
        let Some(oidc) = oidc.filter(has_tokens) else {
            return Ok(());
        };
        let id = RevocationId::from_wire(session.id.as_str());
        if rows.rows().find::<Revocation>(&reference(&id))?.is_some() {
            return Ok(());
        }
        let spec = RevocationSpec {
            revoked: RevocationType::ApiSession,
            issued_before: self.now,
            expires_at: oidc.expires_at,
            tags: Tags::default(),
        };
        Ok(rows.insert(&self.key, &Revocation::new(id, spec, self.now)?)?)
    }
}
