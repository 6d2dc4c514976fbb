//! The list of enrollments.

use crate::listing::listed::{Listed, text};
use portcullis_domain::enrollment::{Enrollment, Purpose};
use portcullis_domain::ids::CaId;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, ROUTER, StoredEnrollment};
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
    const ROOTS: &'static [Kind] = &[IDENTITY, ROUTER];

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
        let purpose = &self.enrollment.purpose;
        match (symbol, purpose) {
            ("identity", Purpose::Identity { identity, .. }) => text(identity.as_str()),
            (
                "edgeRouter",
                Purpose::Router {
                    router,
                    is_edge: true,
                },
            )
            | (
                "transitRouter",
                Purpose::Router {
                    router,
                    is_edge: false,
                },
            ) => text(router.as_str()),
            ("caId", _) => purpose.ca().map(CaId::as_str).into(),
            _ => Value::Missing,
        }
    }
}
