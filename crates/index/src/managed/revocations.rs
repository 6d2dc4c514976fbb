//! Revocations in a catalog.

use super::Described;
use crate::catalog::Columns;
use crate::held::Held;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use portcullis_domain::revocation::RevocationSpec;
use std::collections::BTreeSet;

/// What revocations are searched by besides times, and in which order they expire.
#[derive(Debug, Default)]
pub struct RevocationColumns {
    types: Postings,
    /// When that of each slot expires; `None` for a free one.
    expiries: Vec<Option<Timestamp>>,
    in_order: BTreeSet<(Timestamp, Slot)>,
}

impl RevocationColumns {
    /// Those that have expired at some instant, the first of them first.
    pub fn expired(&self, now: Timestamp) -> impl Iterator<Item = Slot> {
        let until = self.in_order.iter().take_while(move |(at, _)| *at <= now);
        until.map(|(_, slot)| *slot)
    }

    fn expires(&mut self, slot: Slot, at: Option<Timestamp>) {
        if self.expiries.len() <= slot.index() {
            self.expiries.resize(slot.index() + 1, None);
        }
        let Some(place) = self.expiries.get_mut(slot.index()) else {
            return;
        };
        if let Some(before) = std::mem::replace(place, at) {
            self.in_order.remove(&(before, slot));
        }
        self.in_order.extend(at.map(|at| (at, slot)));
    }
}

impl Described for RevocationSpec {
    type Columns<I: EntityId> = RevocationColumns;

    fn name(&self) -> Option<&str> {
        None
    }
}

impl<I> Columns<Managed<I, RevocationSpec>> for RevocationColumns {
    fn set(&mut self, slot: Slot, revocation: &Managed<I, RevocationSpec>) {
        let spec = &revocation.spec;
        self.types
            .set_words(slot, std::iter::once(spec.revoked.name()));
        self.expires(slot, Some(spec.expires_at));
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        (symbol == "type").then(|| Held::single(&self.types))
    }

    fn clear(&mut self, slot: Slot) {
        self.types.set_words(slot, std::iter::empty());
        self.expires(slot, None);
    }

    fn heap_bytes(&self) -> usize {
        self.types.heap_bytes()
            + self.expiries.capacity() * size_of::<Option<Timestamp>>()
            + self.in_order.len() * size_of::<(Timestamp, Slot)>()
    }
}
