//! The list of revocations.

use super::ListableSpec;
use crate::listing::listable::text_value;
use portcullis_domain::revocation::{Revocation, RevocationSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use std::sync::RwLockReadGuard;

/// Revocations.
pub static REVOCATIONS: Schema = Schema::entity(&[
    Symbol::string("type"),
    Symbol::datetime("expiresAt"),
    Symbol::datetime("issuedBefore"),
]);

impl ListableSpec for RevocationSpec {
    const SCHEMA: &'static Schema = &REVOCATIONS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Revocation>> {
        projections.revocations()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "type" => text_value(self.revoked.name()),
            "expiresAt" => Value::Datetime(self.expires_at),
            "issuedBefore" => Value::Datetime(self.issued_before),
            _ => Value::Missing,
        }
    }
}
