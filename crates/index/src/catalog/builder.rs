//! Building a catalog from all its entities at once.

use super::rows::{Key, Rows};
use super::{Catalog, Catalogued, Columns as _};
use crate::digest::{digest, of_owner, of_time, shared_prefix};
use crate::order::Order;
use crate::slots::Slot;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::Number;

/// Collects the entities of a [`Catalog`] and puts them in order at the end, which is several
/// times faster than inserting one after the other.
#[derive(Debug)]
pub struct CatalogBuilder<E: Catalogued> {
    rows: Rows,
    columns: E::Columns,
}

impl<E: Catalogued> Default for CatalogBuilder<E> {
    fn default() -> Self {
        Self {
            rows: Rows::default(),
            columns: E::Columns::default(),
        }
    }
}

impl<E: Catalogued> CatalogBuilder<E> {
    /// Takes an entity in; one of a number that was taken before replaces it.
    pub fn put(&mut self, number: Number, owner: Option<Owner>, entity: &E) {
        let found = self.rows.slots.find(number);
        let slot = found.unwrap_or_else(|| self.rows.slots.claim(number));
        self.rows.set(slot, owner, entity);
        self.columns.set(slot, entity);
    }

    /// Puts the entities in order.
    pub fn build(self) -> Catalog<E> {
        let Self { mut rows, columns } = self;
        rows.shrink();
        Catalog {
            by_id: sorted(&rows, Key::Id),
            by_name: sorted(&rows, Key::Name),
            by_created_at: sorted(&rows, Key::CreatedAt),
            by_owner: sorted(&rows, Key::Owner),
            rows,
            columns,
        }
    }
}

/// Sorts by the first bytes of the key, which then lie side by side, and looks into the columns
/// only where these are equal.
fn sorted(rows: &Rows, key: Key) -> Order {
    let slots = || {
        rows.slots
            .live()
            .iter()
            .map(Slot::from_bit)
            .filter(|slot| rows.has(key, *slot))
    };
    let shared = match key {
        Key::Id => shared_prefix(slots().map(|slot| rows.ids.text(slot))),
        Key::Name => shared_prefix(slots().map(|slot| rows.names.text(slot))),
        Key::CreatedAt | Key::Owner => 0,
    };
    let mut keyed: Vec<(u64, Slot)> = slots()
        .map(|slot| {
            let digest = match key {
                Key::Id => digest(rows.ids.text(slot), shared),
                Key::Name => digest(rows.names.text(slot), shared),
                Key::CreatedAt => of_time(rows.created_at(slot)),
                Key::Owner => rows.owner(slot).map_or(0, of_owner),
            };
            (digest, slot)
        })
        .collect();
    keyed.sort_by(|(left_digest, left), (right_digest, right)| {
        left_digest
            .cmp(right_digest)
            .then_with(|| rows.compare(key, *left, *right))
    });
    let slots: Vec<Slot> = keyed.into_iter().map(|(_, slot)| slot).collect();
    Order::from_sorted(&slots)
}
