//! The list of API sessions.

use crate::listing::listable::text_value;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_filter::{Row, Schema, Symbol, SymbolId, Value};
use portcullis_index::MirroredSession;
use std::sync::Arc;

/// API sessions. The token is a secret; filters by it are handled in `token_filter`.
pub static API_SESSIONS: Schema = Schema::entity(&[
    Symbol::string("token"),
    Symbol::string("identity"),
    Symbol::datetime("lastActivityAt"),
    Symbol::string("authenticator"),
    Symbol::string("ipAddress"),
    Symbol::boolean("mfaComplete"),
    Symbol::boolean("mfaRequired"),
    Symbol::boolean("improperClientCertChain"),
]);

/// An API session as a row; all of them are held in memory.
pub(crate) struct SessionRow {
    /// Record number of the identity.
    pub(crate) owner: RecordNumber,
    /// Record number of the session.
    pub(crate) number: RecordNumber,
    record: Arc<ApiSession>,
    last_activity_at: Timestamp,
}

impl From<MirroredSession<'_>> for SessionRow {
    fn from(session: MirroredSession<'_>) -> Self {
        Self {
            owner: session.owner,
            number: session.number,
            record: Arc::clone(session.record),
            last_activity_at: session.last_activity_at(),
        }
    }
}

impl Row for SessionRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let session = &self.record;
        match symbol.name() {
            "id" => text_value(session.id.as_str()),
            "createdAt" => Value::Datetime(session.created_at),
            // As in the view: the record changes when its last use is written to the store.
            "updatedAt" => Value::Datetime(session.last_activity_at.max(session.created_at)),
            "isSystem" => Value::Boolean(false),
            "identity" => text_value(session.identity.as_str()),
            "lastActivityAt" => Value::Datetime(self.last_activity_at),
            "authenticator" => Value::Text(session.opened_by.wire()),
            "ipAddress" => text_value(&session.ip_address),
            "mfaComplete" => Value::Boolean(session.totp.is_complete()),
            "mfaRequired" => Value::Boolean(session.totp.is_required),
            "improperClientCertChain" => Value::Boolean(session.improper_client_cert_chain),
            _ => Value::Missing,
        }
    }
}
