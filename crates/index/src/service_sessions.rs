//! Catalog columns of service sessions.

use crate::catalog::{Catalog, CatalogColumns, CatalogEntry};
use crate::column::{ColumnRef, Constant};
use crate::postings::Postings;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::quota::StoredSize as _;
use portcullis_domain::session::Session;
use roaring::RoaringBitmap;

impl CatalogEntry for Session {
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

    /// Service sessions never change.
    fn updated_at(&self) -> Timestamp {
        self.created_at
    }
}

/// Columns of service sessions, including what is needed to check whether they are still granted.
/// Ids of API sessions are only in the records, since there are about as many of them.
#[derive(Debug, Default)]
pub struct ServiceSessionColumns {
    services: Postings,
    binding: RoaringBitmap,
    /// Token hash of each slot's API session; stale in a free slot.
    api_sessions: Vec<TokenHash>,
    /// Stored bytes of each session; stale in a free slot.
    bytes: Vec<u32>,
}

impl Catalog<Session> {
    /// Stored bytes of an identity's service sessions.
    pub fn owned_bytes(&self, owner: Owner) -> usize {
        let bytes = &self.columns().bytes;
        self.owned_slots(owner)
            .filter_map(|slot| bytes.get(slot.index()))
            .fold(0, |sum, bytes| sum.saturating_add(*bytes as usize))
    }
}

impl ServiceSessionColumns {
    /// Sessions by service id.
    pub const fn services(&self) -> &Postings {
        &self.services
    }

    /// Sessions that grant `Bind`; all others grant `Dial`.
    pub const fn binding(&self) -> &RoaringBitmap {
        &self.binding
    }

    /// The id of the service of the session in a slot.
    pub fn service(&self, slot: Slot) -> Option<&str> {
        self.services.terms_of(slot).next()
    }

    /// The grant of the session in a slot.
    pub fn grant(&self, slot: Slot) -> ServiceGrant {
        if self.binding.contains(slot.bit()) {
            ServiceGrant::Bind
        } else {
            ServiceGrant::Dial
        }
    }

    /// Token hash of the API session that the session in a slot belongs to.
    pub fn api_session(&self, slot: Slot) -> Option<TokenHash> {
        self.api_sessions.get(slot.index()).copied()
    }
}

impl CatalogColumns<Session> for ServiceSessionColumns {
    fn set(&mut self, slot: Slot, session: &Session) {
        let service = session.service.as_str();
        self.services.set_terms(slot, std::iter::once(service));
        set_flag(&mut self.binding, slot, session.grant == ServiceGrant::Bind);
        set_value(&mut self.api_sessions, slot, session.api_session_token);
        let bytes = session.stored_bytes().try_into().unwrap_or(u32::MAX);
        set_value(&mut self.bytes, slot, bytes);
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        let grant = |grant: ServiceGrant| Constant::Text(grant.name());
        Some(match symbol {
            "service" => ColumnRef::single(&self.services),
            "type" => ColumnRef::constants(
                [(&self.binding, grant(ServiceGrant::Bind))],
                grant(ServiceGrant::Dial),
            ),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        self.services.set_terms(slot, std::iter::empty());
        self.binding.remove(slot.bit());
    }

    fn heap_bytes(&self) -> usize {
        self.services.heap_bytes()
            + self.binding.serialized_size()
            + self.api_sessions.capacity() * size_of::<TokenHash>()
            + self.bytes.capacity() * size_of::<u32>()
    }
}

/// Writes the value of a slot, extending the column if needed.
fn set_value<T: Clone>(column: &mut Vec<T>, slot: Slot, value: T) {
    match column.get_mut(slot.index()) {
        Some(place) => *place = value,
        None => column.resize(slot.index() + 1, value),
    }
}
