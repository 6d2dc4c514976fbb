//! The list of service sessions.

use crate::listing::listable::{Listable, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};

/// Service sessions. The value of `token` is the id, which lists show in its place.
pub static SESSIONS: Schema = Schema::entity(&[
    Symbol::string("token"),
    Symbol::string("apiSession"),
    Symbol::string("service"),
    Symbol::string("type"),
]);

impl Listable for Session {
    type Entry = Self;
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

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "token" => text_value(self.id.as_str()),
            "apiSession" => text_value(self.api_session.as_str()),
            "service" => text_value(self.service.as_str()),
            "type" => text_value(self.grant.name()),
            _ => Value::Missing,
        }
    }

    fn unique_index(symbol: &str) -> Option<UniqueIndex> {
        (symbol == "token").then_some(UniqueIndex::SessionId)
    }
}
