//! The list of service sessions.

use crate::listing::listed::{Listed, text};
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, Index};
use std::sync::RwLockReadGuard;

/// Service sessions. Under `token` stands what lists show in its place, their id.
pub static SESSIONS: Schema = Schema::entity(&[
    Symbol::string("token"),
    Symbol::string("apiSession"),
    Symbol::string("service"),
    Symbol::string("type"),
]);

impl Listed for Session {
    type Entry = Self;
    const SCHEMA: &'static Schema = &SESSIONS;
    const ROOTS: &'static [Kind] = &[IDENTITY];

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
            "token" => text(self.id.as_str()),
            "apiSession" => text(self.api_session.as_str()),
            "service" => text(self.service.as_str()),
            "type" => text(self.grant.name()),
            _ => Value::Missing,
        }
    }

    fn index(symbol: &str) -> Option<Index> {
        (symbol == "token").then_some(Index::SessionId)
    }
}
