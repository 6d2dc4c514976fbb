//! The list of the certificates of an API session, which is short enough to be read as a whole.

use crate::listing::listed::text;
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
            "id" => text(view.id.as_str()),
            "createdAt" | "updatedAt" => Value::Datetime(view.created_at),
            "isSystem" => Value::Boolean(false),
            "subject" => text(&view.certificate.subject),
            "fingerprint" => text(&view.certificate.fingerprint),
            "apiSession" => text(view.session.as_str()),
            _ => Value::Missing,
        }
    }
}
