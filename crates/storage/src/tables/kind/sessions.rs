//! Tables of API sessions, session certificates and service sessions.

use super::values::{UniqueValue, reference};
use super::{
    API_SESSION, Entity, SESSION, SESSION_CERTIFICATE, TERMINATOR, UniqueIndex, Versions,
    entity_change,
};
use crate::key::Kind;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::change::{Change, Owner};
use portcullis_domain::ids::{RecordNumber, ServiceId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use portcullis_domain::session_certificate::SessionCertificate;

impl Entity for ApiSession {
    const KIND: Kind = API_SESSION;
    const CASCADES_TO: &'static [Kind] = &[SESSION_CERTIFICATE, SESSION];

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![UniqueValue::new(
            UniqueIndex::ApiSessionToken,
            self.token_hash.0,
        )]
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        Change::ApiSession(entity_change(owner, number, versions))
    }
}

impl Entity for SessionCertificate {
    const KIND: Kind = SESSION_CERTIFICATE;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let id = self.id.as_str();
        vec![UniqueValue::new(UniqueIndex::SessionCertificateId, id)]
    }

    fn references(&self) -> Vec<UniqueValue> {
        vec![session_reference(self.session)]
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        Change::SessionCertificate(entity_change(owner, number, versions))
    }
}

impl Entity for Session {
    const KIND: Kind = SESSION;
    const CASCADES_TO: &'static [Kind] = &[TERMINATOR];

    fn unique_values(&self) -> Vec<UniqueValue> {
        let grant = session_grant(self.api_session_token, self.grant, &self.service);
        vec![reference(&self.id), grant]
    }

    fn references(&self) -> Vec<UniqueValue> {
        vec![
            session_reference(self.api_session_token),
            reference(&self.service),
        ]
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        Change::Session(entity_change(owner, number, versions))
    }
}

/// Unique value of a service session: API session, grant and service.
pub fn session_grant(token: TokenHash, grant: ServiceGrant, service: &ServiceId) -> UniqueValue {
    let mut value = token.0.to_vec();
    value.push(match grant {
        ServiceGrant::Dial => 0,
        ServiceGrant::Bind => 1,
    });
    value.extend_from_slice(service.as_str().as_bytes());
    UniqueValue::new(UniqueIndex::SessionGrant, value)
}

/// Reference to the API session with this token hash.
fn session_reference(token: TokenHash) -> UniqueValue {
    UniqueValue::new(UniqueIndex::ApiSessionToken, token.0)
}
