//! Service sessions in a catalog.

use crate::bits::mark;
use crate::catalog::{Catalog, Catalogued, Columns};
use crate::held::{Held, Word};
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::quota::Stored as _;
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

/// What service sessions are searched by besides their owner and time, and what tells whether they
/// are granted still. The ids of their API sessions stay in the records: there are about as many of
/// them.
#[derive(Debug, Default)]
pub struct ServiceSessionColumns {
    services: Postings,
    binding: RoaringBitmap,
    /// What finds the API session of each slot; left as it was in a free one.
    api_sessions: Vec<TokenHash>,
    /// Bytes that each takes in the store; left as it was in a free slot.
    bytes: Vec<u32>,
}

impl Catalog<Session> {
    /// Bytes that the service sessions of an identity take in the store.
    pub fn owned_bytes(&self, owner: Owner) -> usize {
        let bytes = &self.columns().bytes;
        self.owned_slots(owner)
            .filter_map(|slot| bytes.get(slot.index()))
            .fold(0, |sum, bytes| sum.saturating_add(*bytes as usize))
    }
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

    /// The service that the session in a slot is about, by its id.
    pub fn service(&self, slot: Slot) -> Option<&str> {
        self.services.of(slot).next()
    }

    /// What the session in a slot was granted.
    pub fn grant(&self, slot: Slot) -> ServiceGrant {
        if self.binding.contains(slot.bit()) {
            ServiceGrant::Bind
        } else {
            ServiceGrant::Dial
        }
    }

    /// What finds the API session to which the session in a slot was granted.
    pub fn api_session(&self, slot: Slot) -> Option<TokenHash> {
        self.api_sessions.get(slot.index()).copied()
    }
}

impl Columns<Session> for ServiceSessionColumns {
    fn set(&mut self, slot: Slot, session: &Session) {
        let service = session.service.as_str();
        self.services.set_words(slot, std::iter::once(service));
        mark(&mut self.binding, slot, session.grant == ServiceGrant::Bind);
        put(&mut self.api_sessions, slot, session.api_session_token);
        let bytes = session.stored_bytes().try_into().unwrap_or(u32::MAX);
        put(&mut self.bytes, slot, bytes);
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
        self.services.heap_bytes()
            + self.binding.serialized_size()
            + self.api_sessions.capacity() * size_of::<TokenHash>()
            + self.bytes.capacity() * size_of::<u32>()
    }
}

/// Writes the value of a slot, which may be the first one so far.
fn put<T: Clone>(column: &mut Vec<T>, slot: Slot, value: T) {
    match column.get_mut(slot.index()) {
        Some(place) => *place = value,
        None => column.resize(slot.index() + 1, value),
    }
}
