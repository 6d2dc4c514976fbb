//! Columns common to all kinds, and the keys of their orders.

use super::CatalogEntry;
use crate::slots::{Slot, Slots};
use crate::text::TextColumn;
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use std::cmp::Ordering;

/// Primary key of an order. Ties are broken by id and then by number, so that orders stay sound
/// even if records conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderKey {
    Id,
    Name,
    CreatedAt,
    Owner,
}

impl OrderKey {
    pub(crate) const ALL: [Self; 4] = [Self::Id, Self::Name, Self::CreatedAt, Self::Owner];
}

/// The columns common to all kinds.
#[derive(Debug, Default)]
pub(crate) struct BaseColumns {
    pub(crate) slots: Slots,
    pub(crate) ids: TextColumn,
    pub(crate) names: TextColumn,
    /// Times of creation and modification, milliseconds since 1970.
    times: Vec<(i64, i64)>,
    /// Empty for kinds that are roots.
    owners: Vec<Option<Owner>>,
}

// Two kinds of owners take no more memory than one.
const _: () = assert!(size_of::<Option<Owner>>() == 16);

/// Converts a value of a time column.
pub(crate) fn timestamp_from_millis(since_1970: i64) -> Timestamp {
    // The columns only contain values of timestamps.
    Timestamp::from_millisecond(since_1970).unwrap_or_default()
}

impl BaseColumns {
    pub(crate) fn set<E: CatalogEntry>(&mut self, slot: Slot, owner: Option<Owner>, entity: &E) {
        self.ids.set(slot, Some(entity.id()));
        self.names.set(slot, entity.name());
        let times = (
            entity.created_at().as_millisecond(),
            entity.updated_at().as_millisecond(),
        );
        if self.times.len() <= slot.index() {
            self.times.resize(slot.index() + 1, (0, 0));
        }
        if let Some(place) = self.times.get_mut(slot.index()) {
            *place = times;
        }
        if owner.is_some() && self.owners.len() <= slot.index() {
            self.owners.resize(slot.index() + 1, None);
        }
        if let Some(place) = self.owners.get_mut(slot.index()) {
            *place = owner;
        }
    }

    /// Frees the texts; the rest is overwritten when the slot is reused.
    pub(crate) fn clear(&mut self, slot: Slot) {
        self.ids.set(slot, None);
        self.names.set(slot, None);
        if let Some(place) = self.owners.get_mut(slot.index()) {
            *place = None;
        }
    }

    pub(crate) fn created_at(&self, slot: Slot) -> i64 {
        self.times.get(slot.index()).map_or(0, |times| times.0)
    }

    pub(crate) fn updated_at(&self, slot: Slot) -> i64 {
        self.times.get(slot.index()).map_or(0, |times| times.1)
    }

    pub(crate) fn owner(&self, slot: Slot) -> Option<Owner> {
        self.owners.get(slot.index()).copied().flatten()
    }

    /// Whether the slot is part of the order by `key`.
    pub(crate) fn is_in_order(&self, key: OrderKey, slot: Slot) -> bool {
        match key {
            OrderKey::Id | OrderKey::CreatedAt => true,
            OrderKey::Name => self.names.get(slot).is_some(),
            OrderKey::Owner => self.owner(slot).is_some(),
        }
    }

    /// The keys of the orders in which the slot moves when it becomes `entity`.
    pub(crate) fn changed_keys<E: CatalogEntry>(
        &self,
        slot: Slot,
        owner: Option<Owner>,
        entity: &E,
    ) -> Vec<OrderKey> {
        let same_id = self.ids.get(slot) == Some(entity.id());
        let is_same = |key: &OrderKey| match key {
            OrderKey::Id => true,
            OrderKey::Name => self.names.get(slot) == entity.name(),
            OrderKey::CreatedAt => self.created_at(slot) == entity.created_at().as_millisecond(),
            OrderKey::Owner => self.owner(slot) == owner,
        };
        OrderKey::ALL
            .into_iter()
            .filter(|key| !same_id || !is_same(key))
            .collect()
    }

    /// Compares by `key` alone.
    pub(crate) fn compare_key(&self, key: OrderKey, left: Slot, right: Slot) -> Ordering {
        match key {
            OrderKey::Id => self
                .ids
                .text_or_empty(left)
                .cmp(self.ids.text_or_empty(right)),
            OrderKey::Name => self
                .names
                .text_or_empty(left)
                .cmp(self.names.text_or_empty(right)),
            OrderKey::CreatedAt => self.created_at(left).cmp(&self.created_at(right)),
            OrderKey::Owner => self.owner(left).cmp(&self.owner(right)),
        }
    }

    /// Compares by `key`, then id, then number.
    pub(crate) fn compare(&self, key: OrderKey, left: Slot, right: Slot) -> Ordering {
        self.compare_key(key, left, right)
            .then_with(|| self.compare_key(OrderKey::Id, left, right))
            .then_with(|| {
                self.slots
                    .number_or_stale(left)
                    .cmp(&self.slots.number_or_stale(right))
            })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.heap_bytes()
            + self.ids.heap_bytes()
            + self.names.heap_bytes()
            + self.times.capacity() * size_of::<(i64, i64)>()
            + self.owners.capacity() * size_of::<Option<Owner>>()
    }

    /// Frees unused capacity.
    pub(crate) fn shrink(&mut self) {
        self.ids.shrink();
        self.names.shrink();
        self.times.shrink_to_fit();
        self.owners.shrink_to_fit();
    }
}
