//! Which tokens do not count any more. Controllers delete revocations once the tokens have expired anyway.

use super::DataModel;
use crate::access::claims::AccessClaims;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::Timestamp as WireTimestamp;
use portcullis_wire::control::data_model::Revocation;

/// Kinds of revocations.
const TOKEN: &str = "JTI";
const SESSION: &str = "API_SESSION";
const IDENTITY: &str = "IDENTITY";

impl DataModel {
    /// Whether an access token was revoked: by itself, with its session, or with all tokens that its
    /// identity had been issued by then.
    pub fn is_revoked(&self, claims: &AccessClaims) -> bool {
        let of_identity = self.revocation(&claims.sub, IDENTITY);
        self.revocation(&claims.jti, TOKEN).is_some()
            || self.is_session_revoked(&claims.z_asid)
            || of_identity.is_some_and(|revocation| {
                // Without a time, all of them.
                let issued_before = revocation.issued_before.as_ref().and_then(instant);
                issued_before.is_none_or(|cutoff| claims.issued_at() <= cutoff)
            })
    }

    pub fn is_session_revoked(&self, session: &str) -> bool {
        self.revocation(session, SESSION).is_some()
    }

    /// Whether a token of a session for a service was revoked by itself.
    pub fn is_token_revoked(&self, id: &str) -> bool {
        self.revocation(id, TOKEN).is_some()
    }

    fn revocation(&self, id: &str, kind: &str) -> Option<&Revocation> {
        let found = self.revocations.get(id)?;
        (found.kind == kind).then_some(found)
    }
}

/// The instant that a timestamp stands for, if it is one.
fn instant(timestamp: &WireTimestamp) -> Option<Timestamp> {
    Timestamp::new(timestamp.seconds, timestamp.nanos).ok()
}
