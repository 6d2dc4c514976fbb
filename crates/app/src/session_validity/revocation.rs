//! Revocations of signed tokens.

use portcullis_domain::access::AccessToken;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, IdentityId, RevocationId};
use portcullis_domain::revocation::{Revocation, RevocationType};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Rows, reference};

/// What a revocation of a token may name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RevocableToken<'t> {
    /// Its claim `jti`.
    pub(crate) id: &'t str,
    pub(crate) session: &'t ApiSessionId,
    pub(crate) identity: &'t IdentityId,
    pub(crate) issued_at: Timestamp,
}

impl<'t> RevocableToken<'t> {
    pub(super) fn access(
        token: &'t AccessToken,
        session: &'t ApiSessionId,
        identity: &'t IdentityId,
    ) -> Self {
        Self {
            id: token.id.as_str(),
            session,
            identity,
            issued_at: token.issued_at,
        }
    }

    /// Whether it was revoked: by itself, with its session, or with all earlier tokens of its
    /// identity.
    pub(crate) fn is_revoked(self, rows: Rows<'_>) -> Result<bool, StoreError> {
        Ok(is_token_revoked(rows, self.id)?
            || is_session_revoked(rows, self.session)?
            || find(rows, self.identity.as_str(), RevocationType::Identity)?
                .is_some_and(|issued_before| self.issued_at <= issued_before))
    }
}

/// Whether the signed token with this claim `jti` was revoked by itself.
pub(crate) fn is_token_revoked(rows: Rows<'_>, id: &str) -> Result<bool, StoreError> {
    Ok(find(rows, id, RevocationType::Jti)?.is_some())
}

/// Whether all signed tokens of a session were revoked.
pub(crate) fn is_session_revoked(
    rows: Rows<'_>,
    session: &ApiSessionId,
) -> Result<bool, StoreError> {
    Ok(find(rows, session.as_str(), RevocationType::ApiSession)?.is_some())
}

/// The time of the revocation of something, if there is one.
fn find(
    rows: Rows<'_>,
    id: &str,
    revoked: RevocationType,
) -> Result<Option<Timestamp>, StoreError> {
    let found = rows.find_shared::<Revocation>(&reference(&RevocationId::from_wire(id)))?;
    Ok(found
        .filter(|found| found.entity.spec.revoked == revoked)
        .map(|found| found.entity.spec.issued_before))
}
