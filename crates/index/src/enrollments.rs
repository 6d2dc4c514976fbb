//! Catalog columns of enrollments.

use crate::catalog::{CatalogColumns, CatalogEntry};
use crate::column::ColumnRef;
use crate::postings::Postings;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{
    Enrollment, EnrollmentMethod, EnrollmentMethodKind, EnrollmentPurpose,
};
use portcullis_domain::ids::CaId;
use roaring::RoaringBitmap;

impl CatalogEntry for Enrollment {
    type Columns = EnrollmentColumns;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        None
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// Columns of enrollments.
#[derive(Debug, Default)]
pub struct EnrollmentColumns {
    ott: RoaringBitmap,
    ott_ca: RoaringBitmap,
    updb: RoaringBitmap,
    cas: Postings,
    /// By router id, as for `transit_routers`.
    edge_routers: Postings,
    transit_routers: Postings,
}

impl EnrollmentColumns {
    /// Enrollments of identities by this method.
    pub const fn with_method(&self, kind: EnrollmentMethodKind) -> &RoaringBitmap {
        match kind {
            EnrollmentMethodKind::Ott => &self.ott,
            EnrollmentMethodKind::OttCa => &self.ott_ca,
            EnrollmentMethodKind::Updb => &self.updb,
        }
    }

    /// Enrollments by the id of the third-party authority whose certificate they require.
    pub const fn cas(&self) -> &Postings {
        &self.cas
    }

    fn set_method(&mut self, slot: Slot, is: Option<EnrollmentMethodKind>) {
        set_flag(&mut self.ott, slot, is == Some(EnrollmentMethodKind::Ott));
        set_flag(
            &mut self.ott_ca,
            slot,
            is == Some(EnrollmentMethodKind::OttCa),
        );
        set_flag(&mut self.updb, slot, is == Some(EnrollmentMethodKind::Updb));
    }
}

impl CatalogColumns<Enrollment> for EnrollmentColumns {
    fn set(&mut self, slot: Slot, enrollment: &Enrollment) {
        let purpose = &enrollment.purpose;
        self.set_method(slot, purpose.method().map(EnrollmentMethod::kind));
        let ca = purpose.ca().map(CaId::as_str);
        self.cas.set_terms(slot, ca.into_iter());
        let (edge, transit) = match purpose {
            EnrollmentPurpose::Identity { .. } => (None, None),
            EnrollmentPurpose::Router {
                router,
                is_edge: true,
            } => (Some(router.as_str()), None),
            EnrollmentPurpose::Router {
                router,
                is_edge: false,
            } => (None, Some(router.as_str())),
        };
        self.edge_routers.set_terms(slot, edge.into_iter());
        self.transit_routers.set_terms(slot, transit.into_iter());
    }

    /// The token is a secret; the identity is the owner.
    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        Some(match symbol {
            "caId" => ColumnRef::single(&self.cas),
            "edgeRouter" => ColumnRef::single(&self.edge_routers),
            "transitRouter" => ColumnRef::single(&self.transit_routers),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        self.set_method(slot, None);
        for terms in [
            &mut self.cas,
            &mut self.edge_routers,
            &mut self.transit_routers,
        ] {
            terms.set_terms(slot, std::iter::empty());
        }
    }

    fn heap_bytes(&self) -> usize {
        let methods: usize = EnrollmentMethodKind::ALL
            .iter()
            .map(|kind| self.with_method(*kind).serialized_size())
            .sum();
        methods
            + self.cas.heap_bytes()
            + self.edge_routers.heap_bytes()
            + self.transit_routers.heap_bytes()
    }
}
