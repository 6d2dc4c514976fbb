//! Enrollments in a catalog.

use crate::bits::mark;
use crate::catalog::{Catalogued, Columns};
use crate::held::Held;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{Enrollment, Method, MethodKind, Purpose};
use portcullis_domain::ids::CaId;
use roaring::RoaringBitmap;

impl Catalogued for Enrollment {
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

/// What enrollments are searched by besides their owner and times.
#[derive(Debug, Default)]
pub struct EnrollmentColumns {
    ott: RoaringBitmap,
    ott_ca: RoaringBitmap,
    updb: RoaringBitmap,
    cas: Postings,
    /// The edge router that obtains a certificate, by its id.
    edge_routers: Postings,
    transit_routers: Postings,
}

impl EnrollmentColumns {
    /// Those by which an identity obtains a credential in that way.
    pub const fn of_method(&self, kind: MethodKind) -> &RoaringBitmap {
        match kind {
            MethodKind::Ott => &self.ott,
            MethodKind::OttCa => &self.ott_ca,
            MethodKind::Updb => &self.updb,
        }
    }

    /// Which need a certificate of which third-party authority, by the authority's id.
    pub const fn cas(&self) -> &Postings {
        &self.cas
    }

    fn mark(&mut self, slot: Slot, is: Option<MethodKind>) {
        mark(&mut self.ott, slot, is == Some(MethodKind::Ott));
        mark(&mut self.ott_ca, slot, is == Some(MethodKind::OttCa));
        mark(&mut self.updb, slot, is == Some(MethodKind::Updb));
    }
}

impl Columns<Enrollment> for EnrollmentColumns {
    fn set(&mut self, slot: Slot, enrollment: &Enrollment) {
        let purpose = &enrollment.purpose;
        self.mark(slot, purpose.method().map(Method::kind));
        let ca = purpose.ca().map(CaId::as_str);
        self.cas.set_words(slot, ca.into_iter());
        let (edge, transit) = match purpose {
            Purpose::Identity { .. } => (None, None),
            Purpose::Router {
                router,
                is_edge: true,
            } => (Some(router.as_str()), None),
            Purpose::Router {
                router,
                is_edge: false,
            } => (None, Some(router.as_str())),
        };
        self.edge_routers.set_words(slot, edge.into_iter());
        self.transit_routers.set_words(slot, transit.into_iter());
    }

    /// The token is a secret, and the identity is the owner.
    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        Some(match symbol {
            "caId" => Held::single(&self.cas),
            "edgeRouter" => Held::single(&self.edge_routers),
            "transitRouter" => Held::single(&self.transit_routers),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        self.mark(slot, None);
        for words in [
            &mut self.cas,
            &mut self.edge_routers,
            &mut self.transit_routers,
        ] {
            words.set_words(slot, std::iter::empty());
        }
    }

    fn heap_bytes(&self) -> usize {
        let methods: usize = MethodKind::ALL
            .iter()
            .map(|kind| self.of_method(*kind).serialized_size())
            .sum();
        methods
            + self.cas.heap_bytes()
            + self.edge_routers.heap_bytes()
            + self.transit_routers.heap_bytes()
    }
}
