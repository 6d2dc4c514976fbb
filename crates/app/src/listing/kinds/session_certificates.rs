//! The list of the certificates of an API session, which is small enough to be read as a whole.

use crate::listing::listable::text_value;
use portcullis_domain::view::SessionCertificateView;
use portcullis_filter::{Row, Schema, Symbol, SymbolId, Value};

/// Certificates of API sessions.
pub static SESSION_CERTIFICATES: Schema = Schema::entity(&[
    Symbol::string("subject"),
    Symbol::string("fingerprint"),
    Symbol::string("apiSession"),
]);

/// A certificate of an API session as a row.
pub(crate) struct SessionCertificateRow(pub(crate) SessionCertificateView);

impl Row for SessionCertificateRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let view = &self.0;
        match symbol.name() {
            "id" => text_value(view.id.as_str()),
            "createdAt" | "updatedAt" => Value::Datetime(view.created_at),
            "isSystem" => Value::Boolean(false),
            "subject" => text_value(&view.certificate.subject),
            "fingerprint" => text_value(&view.certificate.fingerprint),
            "apiSession" => text_value(view.session.as_str()),
            _ => Value::Missing,
        }
    }
}
