//! Service sessions in a catalog.

use crate::bits::mark;
use crate::catalog::{Catalogued, Columns};
use crate::held::{Held, Word};
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use roaring::RoaringBitmap;

impl Catalogued for Session {
    type Columns = ServiceSessionColumns;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        None
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// It never changes.
    fn updated_at(&self) -> Timestamp {
        self.created_at
    }
}

/// What service sessions are searched by besides their owner and time. Their API sessions stay in
/// the records: there are about as many of them.
#[derive(Debug, Default)]
pub struct ServiceSessionColumns {
    services: Postings,
    binding: RoaringBitmap,
}

impl ServiceSessionColumns {
    /// Those about which service, by the id of that.
    pub const fn services(&self) -> &Postings {
        &self.services
    }

    /// Those that were granted to bind; all others to dial.
    pub const fn binding(&self) -> &RoaringBitmap {
        &self.binding
    }
}

impl Columns<Session> for ServiceSessionColumns {
    fn set(&mut self, slot: Slot, session: &Session) {
        let service = session.service.as_str();
        self.services.set_words(slot, std::iter::once(service));
        mark(&mut self.binding, slot, session.grant == ServiceGrant::Bind);
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        let grant = |grant: ServiceGrant| Word::Text(grant.name());
        Some(match symbol {
            "service" => Held::single(&self.services),
            "type" => Held::cases(
                [(&self.binding, grant(ServiceGrant::Bind))],
                grant(ServiceGrant::Dial),
            ),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        self.services.set_words(slot, std::iter::empty());
        self.binding.remove(slot.bit());
    }

    fn heap_bytes(&self) -> usize {
        self.services.heap_bytes() + self.binding.serialized_size()
    }
}
