//! The list of service sessions.

use crate::listing::listable::{Listable, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};

symbols! {
    pub(crate) enum SessionSymbol;
    /// Service sessions. The value of `token` is the id, which lists show in its place.
    pub static SESSIONS: Schema::entity;
    Token => string("token"),
    ApiSession => string("apiSession"),
    Service => string("service"),
    Type => string("type"),
}

impl Listable for Session {
    type Entry = Self;
    type Symbol = SessionSymbol;
    const SCHEMA: &'static Schema = &SESSIONS;
    const ROOT_KINDS: &'static [Kind] = &[IDENTITY];
    const IS_SPARSE: bool = true;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        projections.service_sessions()
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: SessionSymbol) -> Value<'_> {
        match symbol {
            SessionSymbol::Token => text_value(self.id.as_str()),
            SessionSymbol::ApiSession => text_value(self.api_session.as_str()),
            SessionSymbol::Service => text_value(self.service.as_str()),
            SessionSymbol::Type => text_value(self.grant.name()),
        }
    }

    fn unique_index(symbol: SessionSymbol) -> Option<UniqueIndex> {
        (symbol == SessionSymbol::Token).then_some(UniqueIndex::SessionId)
    }
}
