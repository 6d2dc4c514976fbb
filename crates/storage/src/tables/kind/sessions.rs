//! API sessions and what lives no longer than they do.

use super::values::{UniqueValue, reference};
use super::{API_SESSION, Entity, Index, SESSION, SESSION_CERTIFICATE, entity_change};
use crate::key::Kind;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::change::{Change, Owner};
use portcullis_domain::ids::Number;
use portcullis_domain::session::Session;
use portcullis_domain::session_certificate::SessionCertificate;

impl Entity for ApiSession {
    const KIND: Kind = API_SESSION;
    const TAKES_ALONG: &'static [Kind] = &[SESSION_CERTIFICATE, SESSION];

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![UniqueValue::new(Index::ApiSessionToken, self.token_hash.0)]
    }

    fn change(owner: Option<Owner>, number: Number, now: Option<&Self>) -> Change {
        Change::ApiSession(entity_change(owner, number, now))
    }
}

impl Entity for SessionCertificate {
    const KIND: Kind = SESSION_CERTIFICATE;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let id = self.id.as_str();
        vec![UniqueValue::new(Index::SessionCertificateId, id)]
    }

    fn references(&self) -> Vec<UniqueValue> {
        vec![session_reference(self.session)]
    }

    fn change(owner: Option<Owner>, number: Number, now: Option<&Self>) -> Change {
        Change::SessionCertificate(entity_change(owner, number, now))
    }
}

impl Entity for Session {
    const KIND: Kind = SESSION;

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![reference(&self.id)]
    }

    fn references(&self) -> Vec<UniqueValue> {
        vec![
            session_reference(self.api_session_token),
            reference(&self.service),
        ]
    }

    fn change(owner: Option<Owner>, number: Number, now: Option<&Self>) -> Change {
        Change::Session(entity_change(owner, number, now))
    }
}

/// The reference to the API session that is found by `token`.
fn session_reference(token: TokenHash) -> UniqueValue {
    UniqueValue::new(Index::ApiSessionToken, token.0)
}
