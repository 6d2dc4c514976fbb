//! The list of enrollments.

use crate::listing::listable::{Listable, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose};
use portcullis_domain::ids::CaId;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, ROUTER, StoredEnrollment};

symbols! {
    pub(crate) enum EnrollmentSymbol;
    /// Enrollments. The token is a secret; filters by it are handled in `token_filter`.
    pub static ENROLLMENTS: Schema::entity;
    Token => string("token"),
    Identity => string("identity"),
    EdgeRouter => string("edgeRouter"),
    TransitRouter => string("transitRouter"),
    CaId => string("caId"),
}

impl Listable for StoredEnrollment {
    type Entry = Enrollment;
    type Symbol = EnrollmentSymbol;
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

    fn value(&self, symbol: EnrollmentSymbol) -> Value<'_> {
        let purpose = &self.enrollment.purpose;
        let router = |wanted_edge: bool| match purpose {
            EnrollmentPurpose::Router { router, is_edge } if *is_edge == wanted_edge => {
                text_value(router.as_str())
            },
            _ => Value::Missing,
        };
        match symbol {
            EnrollmentSymbol::Identity => match purpose {
                EnrollmentPurpose::Identity { identity, .. } => text_value(identity.as_str()),
                EnrollmentPurpose::Router { .. } => Value::Missing,
            },
            EnrollmentSymbol::EdgeRouter => router(true),
            EnrollmentSymbol::TransitRouter => router(false),
            EnrollmentSymbol::CaId => purpose.ca().map(CaId::as_str).into(),
            // Recognized by its hash alone.
            EnrollmentSymbol::Token => Value::Missing,
        }
    }
}
