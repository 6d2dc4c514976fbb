//! Bulk construction of catalogs.

use super::base_columns::{BaseColumns, OrderKey};
use super::{Catalog, CatalogColumns as _, CatalogEntry};
use crate::order::Order;
use crate::slots::Slot;
use crate::sort_key::{common_prefix_len, owner_key, text_key, time_key};
use portcullis_domain::change::Owner;
use portcullis_domain::ids::RecordNumber;

/// Collects the entities of a [`Catalog`] and sorts them at the end, which is several times faster
/// than inserting them one by one.
#[derive(Debug)]
pub struct CatalogBuilder<E: CatalogEntry> {
    base: BaseColumns,
    columns: E::Columns,
}

impl<E: CatalogEntry> Default for CatalogBuilder<E> {
    fn default() -> Self {
        Self {
            base: BaseColumns::default(),
            columns: E::Columns::default(),
        }
    }
}

impl<E: CatalogEntry> CatalogBuilder<E> {
    /// Adds an entity; a later one with the same number replaces it.
    pub fn put(&mut self, number: RecordNumber, owner: Option<Owner>, entity: &E) {
        let found = self.base.slots.find(number);
        let slot = found.unwrap_or_else(|| self.base.slots.assign(number));
        self.base.set(slot, owner, entity);
        self.columns.set(slot, entity);
    }

    /// Sorts the entities into a catalog.
    pub fn build(self) -> Catalog<E> {
        let Self {
            base: mut rows,
            columns,
        } = self;
        rows.shrink();
        Catalog {
            by_id: sort_slots(&rows, OrderKey::Id),
            by_name: sort_slots(&rows, OrderKey::Name),
            by_created_at: sort_slots(&rows, OrderKey::CreatedAt),
            by_owner: sort_slots(&rows, OrderKey::Owner),
            base: rows,
            columns,
        }
    }
}

/// Sorts by the first bytes of the key, which are stored side by side, and reads the columns only
/// where these are equal.
fn sort_slots(rows: &BaseColumns, key: OrderKey) -> Order {
    let slots = || {
        rows.slots
            .live()
            .iter()
            .map(Slot::from_bit)
            .filter(|slot| rows.is_in_order(key, *slot))
    };
    let shared = match key {
        OrderKey::Id => common_prefix_len(slots().map(|slot| rows.ids.text_or_empty(slot))),
        OrderKey::Name => common_prefix_len(slots().map(|slot| rows.names.text_or_empty(slot))),
        OrderKey::CreatedAt | OrderKey::Owner => 0,
    };
    let mut keyed: Vec<(u64, Slot)> = slots()
        .map(|slot| {
            let digest = match key {
                OrderKey::Id => text_key(rows.ids.text_or_empty(slot), shared),
                OrderKey::Name => text_key(rows.names.text_or_empty(slot), shared),
                OrderKey::CreatedAt => time_key(rows.created_at(slot)),
                OrderKey::Owner => rows.owner(slot).map_or(0, owner_key),
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
