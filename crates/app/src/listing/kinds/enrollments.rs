//! The list of enrollments.

use crate::listing::listable::{Listable, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose};
use portcullis_domain::ids::CaId;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, ROUTER, StoredEnrollment};

/// Enrollments. The token is a secret; filters by it are handled in `token_filter`.
pub static ENROLLMENTS: Schema = Schema::entity(&[
    Symbol::string("token"),
    Symbol::string("identity"),
    Symbol::string("edgeRouter"),
    Symbol::string("transitRouter"),
    Symbol::string("caId"),
]);

impl Listable for StoredEnrollment {
    type Entry = Enrollment;
    const SCHEMA: &'static Schema = &ENROLLMENTS;
    const ROOT_KINDS: &'static [Kind] = &[IDENTITY, ROUTER];

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
            ("identity", EnrollmentPurpose::Identity { identity, .. }) => {
                text_value(identity.as_str())
            },
            (
                "edgeRouter",
                EnrollmentPurpose::Router {
                    router,
                    is_edge: true,
                },
            )
            | (
                "transitRouter",
                EnrollmentPurpose::Router {
                    router,
                    is_edge: false,
                },
            ) => text_value(router.as_str()),
            ("caId", _) => purpose.ca().map(CaId::as_str).into(),
            _ => Value::Missing,
        }
    }
}
