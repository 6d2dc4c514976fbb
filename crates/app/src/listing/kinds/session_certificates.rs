//! The list of the certificates of an API session, which is small enough to be read as a whole.

use crate::listing::listable::text_value;
use portcullis_domain::view::SessionCertificateView;
use portcullis_filter::{EntitySymbol, Row, Value, symbols};

symbols! {
    pub(crate) enum SessionCertificateSymbol;
    /// Certificates of API sessions.
    pub static SESSION_CERTIFICATES: Schema::entity;
    Subject => string("subject"),
    Fingerprint => string("fingerprint"),
    ApiSession => string("apiSession"),
}

/// A certificate of an API session as a row.
pub(crate) struct SessionCertificateRow(pub(crate) SessionCertificateView);

impl Row for SessionCertificateRow {
    type Symbol = EntitySymbol<SessionCertificateSymbol>;

    fn value(&self, symbol: Self::Symbol) -> Value<'_> {
        use EntitySymbol::{CreatedAt, Id, IsSystem, Own, Tags, UpdatedAt};
        use SessionCertificateSymbol::{ApiSession, Fingerprint, Subject};
        let view = &self.0;
        match symbol {
            Id => text_value(view.id.as_str()),
            CreatedAt | UpdatedAt => Value::Datetime(view.created_at),
            IsSystem => Value::Boolean(false),
            Tags => Value::Missing,
            Own(Subject) => text_value(&view.certificate.subject),
            Own(Fingerprint) => text_value(&view.certificate.fingerprint),
            Own(ApiSession) => text_value(view.session.as_str()),
        }
    }
}
