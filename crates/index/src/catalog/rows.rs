//! The columns that every kind has, and the keys that its orders follow.

use super::Catalogued;
use crate::slots::{Slot, Slots};
use crate::text::TextColumn;
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use std::cmp::Ordering;

/// What an order follows first; ties are broken by id, and then, so that orders stay sound even
/// over records that should not coexist, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Id,
    Name,
    CreatedAt,
    Owner,
}

impl Key {
    pub(crate) const ALL: [Self; 4] = [Self::Id, Self::Name, Self::CreatedAt, Self::Owner];
}

/// The columns that every kind has.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) slots: Slots,
    pub(crate) ids: TextColumn,
    pub(crate) names: TextColumn,
    /// Creation and change, milliseconds since 1970.
    times: Vec<(i64, i64)>,
    /// Stays empty for kinds that are roots.
    owners: Vec<Option<Owner>>,
}

// That there are several kinds of owners costs no memory.
const _: () = assert!(size_of::<Option<Owner>>() == 16);

/// The instant of a column of times.
pub(crate) fn milliseconds(since_1970: i64) -> Timestamp {
    // Columns hold what timestamps said.
    Timestamp::from_millisecond(since_1970).unwrap_or_default()
}

impl Rows {
    pub(crate) fn set<E: Catalogued>(&mut self, slot: Slot, owner: Option<Owner>, entity: &E) {
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

    /// Forgets what takes memory; the rest is overwritten when the slot is used again.
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

    /// Whether the slot belongs into the order by `key`.
    pub(crate) fn has(&self, key: Key, slot: Slot) -> bool {
        match key {
            Key::Id | Key::CreatedAt => true,
            Key::Name => self.names.get(slot).is_some(),
            Key::Owner => self.owner(slot).is_some(),
        }
    }

    /// The keys by which the slot changes its place when it becomes `entity`.
    pub(crate) fn moved<E: Catalogued>(
        &self,
        slot: Slot,
        owner: Option<Owner>,
        entity: &E,
    ) -> Vec<Key> {
        let same_id = self.ids.get(slot) == Some(entity.id());
        let is_same = |key: &Key| match key {
            Key::Id => true,
            Key::Name => self.names.get(slot) == entity.name(),
            Key::CreatedAt => self.created_at(slot) == entity.created_at().as_millisecond(),
            Key::Owner => self.owner(slot) == owner,
        };
        Key::ALL
            .into_iter()
            .filter(|key| !same_id || !is_same(key))
            .collect()
    }

    /// Compares by `key` alone.
    pub(crate) fn compare_key(&self, key: Key, left: Slot, right: Slot) -> Ordering {
        match key {
            Key::Id => self.ids.text(left).cmp(self.ids.text(right)),
            Key::Name => self.names.text(left).cmp(self.names.text(right)),
            Key::CreatedAt => self.created_at(left).cmp(&self.created_at(right)),
            Key::Owner => self.owner(left).cmp(&self.owner(right)),
        }
    }

    /// Compares by `key`, then id, then number.
    pub(crate) fn compare(&self, key: Key, left: Slot, right: Slot) -> Ordering {
        self.compare_key(key, left, right)
            .then_with(|| self.compare_key(Key::Id, left, right))
            .then_with(|| self.slots.raw(left).cmp(&self.slots.raw(right)))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.heap_bytes()
            + self.ids.heap_bytes()
            + self.names.heap_bytes()
            + self.times.capacity() * size_of::<(i64, i64)>()
            + self.owners.capacity() * size_of::<Option<Owner>>()
    }

    /// Gives back what growth reserved.
    pub(crate) fn shrink(&mut self) {
        self.ids.shrink();
        self.names.shrink();
        self.times.shrink_to_fit();
        self.owners.shrink_to_fit();
    }
}
