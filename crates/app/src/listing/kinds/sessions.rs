//! The list of API sessions.

use crate::listing::listable::text_value;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_filter::{EntitySymbol, Row, Value, symbols};
use portcullis_index::MirroredSession;
use std::sync::Arc;

symbols! {
    pub(crate) enum ApiSessionSymbol;
    /// API sessions. The token is a secret; filters by it are handled in `token_filter`.
    pub static API_SESSIONS: Schema::entity;
    Token => string("token"),
    Identity => string("identity"),
    LastActivityAt => datetime("lastActivityAt"),
    Authenticator => string("authenticator"),
    IpAddress => string("ipAddress"),
    MfaComplete => boolean("mfaComplete"),
    MfaRequired => boolean("mfaRequired"),
    ImproperClientCertChain => boolean("improperClientCertChain"),
}

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
    type Symbol = EntitySymbol<ApiSessionSymbol>;

    fn value(&self, symbol: Self::Symbol) -> Value<'_> {
        let session = &self.record;
        let symbol = match symbol {
            EntitySymbol::Id => return text_value(session.id.as_str()),
            EntitySymbol::CreatedAt => return Value::Datetime(session.created_at),
            // As in the view: the record changes when its last use is written to the store.
            EntitySymbol::UpdatedAt => {
                return Value::Datetime(session.last_activity_at.max(session.created_at));
            },
            EntitySymbol::IsSystem => return Value::Boolean(false),
            EntitySymbol::Tags => return Value::Missing,
            EntitySymbol::Own(symbol) => symbol,
        };
        match symbol {
            ApiSessionSymbol::Identity => text_value(session.identity.as_str()),
            ApiSessionSymbol::LastActivityAt => Value::Datetime(self.last_activity_at),
            ApiSessionSymbol::Authenticator => Value::Text(session.opened_by.wire()),
            ApiSessionSymbol::IpAddress => text_value(&session.ip_address),
            ApiSessionSymbol::MfaComplete => Value::Boolean(session.totp.is_complete()),
            ApiSessionSymbol::MfaRequired => Value::Boolean(session.totp.is_required),
            ApiSessionSymbol::ImproperClientCertChain => {
                Value::Boolean(session.improper_client_cert_chain)
            },
            // Recognized by its hash alone.
            ApiSessionSymbol::Token => Value::Missing,
        }
    }
}
