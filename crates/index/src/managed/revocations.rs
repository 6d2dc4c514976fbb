//! Catalog columns of revocations.

use super::CatalogSpec;
use crate::catalog::CatalogColumns;
use crate::column::ColumnRef;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use portcullis_domain::revocation::RevocationSpec;
use std::collections::BTreeSet;

/// Columns of revocations, and their order of expiry.
#[derive(Debug, Default)]
pub struct RevocationColumns {
    types: Postings,
    /// Expiry time of each slot; `None` for a free slot.
    expires_at: Vec<Option<Timestamp>>,
    by_expiry: BTreeSet<(Timestamp, Slot)>,
}

impl RevocationColumns {
    /// The revocations that have expired at `now`, earliest first.
    pub fn expired(&self, now: Timestamp) -> impl Iterator<Item = Slot> {
        let until = self.by_expiry.iter().take_while(move |(at, _)| *at <= now);
        until.map(|(_, slot)| *slot)
    }

    fn set_expiry(&mut self, slot: Slot, at: Option<Timestamp>) {
        if self.expires_at.len() <= slot.index() {
            self.expires_at.resize(slot.index() + 1, None);
        }
        let Some(place) = self.expires_at.get_mut(slot.index()) else {
            return;
        };
        if let Some(before) = std::mem::replace(place, at) {
            self.by_expiry.remove(&(before, slot));
        }
        self.by_expiry.extend(at.map(|at| (at, slot)));
    }
}

impl CatalogSpec for RevocationSpec {
    type Columns<I: EntityId> = RevocationColumns;
}

impl<I> CatalogColumns<Managed<I, RevocationSpec>> for RevocationColumns {
    fn set(&mut self, slot: Slot, revocation: &Managed<I, RevocationSpec>) {
        let spec = &revocation.spec;
        self.types
            .set_terms(slot, std::iter::once(spec.revoked.name()));
        self.set_expiry(slot, Some(spec.expires_at));
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        (symbol == "type").then(|| ColumnRef::single(&self.types))
    }

    fn clear(&mut self, slot: Slot) {
        self.types.set_terms(slot, std::iter::empty());
        self.set_expiry(slot, None);
    }

    fn heap_bytes(&self) -> usize {
        self.types.heap_bytes()
            + self.expires_at.capacity() * size_of::<Option<Timestamp>>()
            + self.by_expiry.len() * size_of::<(Timestamp, Slot)>()
    }
}
