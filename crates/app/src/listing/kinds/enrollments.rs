//! The list of enrollments.

use crate::listing::listed::{Listed, text};
use portcullis_domain::enrollment::{Enrollment, Method};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, StoredEnrollment};
use std::sync::RwLockReadGuard;

/// Enrollments. Their token is a secret, and is compared by hash elsewhere.
pub static ENROLLMENTS: Schema = Schema::entity(&[
    Symbol::string("token"),
    Symbol::string("identity"),
    Symbol::string("edgeRouter"),
    Symbol::string("transitRouter"),
    Symbol::string("caId"),
]);

impl Listed for StoredEnrollment {
    type Entry = Enrollment;
    const SCHEMA: &'static Schema = &ENROLLMENTS;
    const ROOTS: &'static [Kind] = &[IDENTITY];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Enrollment>> {
        projections.enrollments()
    }

    fn entry(&self) -> &Enrollment {
        &self.enrollment
    }

    fn tags(&self) -> &Tags {
        &self.enrollment.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match (symbol, &self.enrollment.method) {
            ("identity", _) => text(self.enrollment.identity.as_str()),
            ("caId", Method::OttCa { ca }) => text(ca.as_str()),
            _ => Value::Missing,
        }
    }
}
