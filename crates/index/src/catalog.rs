//! Catalogs: what clients list, sort and search entities of a kind by.

mod builder;
mod rows;
mod walk;

pub use builder::CatalogBuilder;
pub(crate) use rows::{Key, Rows, milliseconds};
pub use walk::{Direction, SortKey, Walk};

use crate::held::Held;
use crate::order::Order;
use crate::slots::Slot;
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::Number;
use roaring::RoaringBitmap;
use std::cmp::Ordering;

/// A kind of entity that a [`Catalog`] can hold.
pub trait Catalogued {
    /// What the catalog keeps of this kind besides id, name, times and owner.
    type Columns: Columns<Self>;

    /// Its id.
    fn id(&self) -> &str;

    /// Its name: every entity of a kind has one, or none has.
    fn name(&self) -> Option<&str>;

    /// When it was created.
    fn created_at(&self) -> Timestamp;

    /// When it last changed.
    fn updated_at(&self) -> Timestamp;
}

/// Columns of one kind of entity.
pub trait Columns<E: ?Sized>: Default {
    /// Takes over what `entity`, which may have been in the slot before, is now.
    fn set(&mut self, slot: Slot, entity: &E);

    /// What is held under a symbol of the filters of this kind, besides `id`, `name`, `createdAt`
    /// and `updatedAt`. `None` sends whoever asks to the record; under `isSystem` it says that the
    /// system made none.
    fn held(&self, symbol: &str) -> Option<Held<'_>>;

    /// Forgets the entity in the slot.
    fn clear(&mut self, slot: Slot);

    /// Memory behind the columns, in bytes, by their own count.
    fn heap_bytes(&self) -> usize;
}

/// The entities of a kind in columns, in several orders at once.
///
/// A change costs logarithmic time, and so does the begin of a page, wherever it lies.
#[derive(Debug)]
pub struct Catalog<E: Catalogued> {
    pub(crate) rows: Rows,
    columns: E::Columns,
    by_id: Order,
    /// Stays empty for kinds without names.
    by_name: Order,
    by_created_at: Order,
    /// Only those that have an owner.
    by_owner: Order,
}

impl<E: Catalogued> Default for Catalog<E> {
    fn default() -> Self {
        Self {
            rows: Rows::default(),
            columns: E::Columns::default(),
            by_id: Order::default(),
            by_name: Order::default(),
            by_created_at: Order::default(),
            by_owner: Order::default(),
        }
    }
}

impl<E: Catalogued> Catalog<E> {
    /// Inserts the entity whose record has that number, or takes over what it is now.
    ///
    /// `owner` is the record that it lives under, if it is not a root itself.
    pub fn put(&mut self, number: Number, owner: Option<Owner>, entity: &E) {
        let found = self.rows.slots.find(number);
        let moved = found.map_or(Key::ALL.to_vec(), |slot| {
            self.rows.moved(slot, owner, entity)
        });
        if let Some(slot) = found {
            self.unlink(slot, &moved);
        }
        let slot = found.unwrap_or_else(|| self.rows.slots.claim(number));
        self.rows.set(slot, owner, entity);
        self.columns.set(slot, entity);
        self.link(slot, &moved);
    }

    /// Forgets the entity whose record has that number. Returns whether it was there.
    pub fn remove(&mut self, number: Number) -> bool {
        let Some(slot) = self.rows.slots.find(number) else {
            return false;
        };
        self.unlink(slot, &Key::ALL);
        self.columns.clear(slot);
        self.rows.clear(slot);
        self.rows.slots.release(number).is_some()
    }

    /// Forgets everything that lives under `owner`.
    pub fn remove_owned_by(&mut self, owner: Owner) {
        for number in self.owned_by(owner, 0, usize::MAX) {
            self.remove(number);
        }
    }

    /// Number of entities.
    pub fn len(&self) -> usize {
        self.rows.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the entity whose record has that number is here.
    pub fn contains(&self, number: Number) -> bool {
        self.rows.slots.find(number).is_some()
    }

    /// The records of a page: at most `limit`, after the first `offset` of the order.
    ///
    /// Its cost does not depend on the offset.
    pub fn page(
        &self,
        sort: SortKey,
        direction: Direction,
        offset: u64,
        limit: usize,
    ) -> Vec<Number> {
        self.walk(sort, direction, offset)
            .take(limit)
            .map(|slot| self.rows.slots.raw(slot))
            .collect()
    }

    /// The slots from the given offset of an order on.
    pub fn walk(&self, sort: SortKey, direction: Direction, offset: u64) -> Walk<'_> {
        let direction = match sort {
            // Without names the tie-break by id decides, which knows no other direction.
            SortKey::Name if self.by_name.len() == 0 => Direction::Ascending,
            _ => direction,
        };
        let key = self.key(sort);
        Walk::new(&self.rows, self.order(key), key, direction, offset)
    }

    /// How many entities stand before the one with that number, ascending.
    pub fn rank(&self, sort: SortKey, number: Number) -> Option<u64> {
        let slot = self.rows.slots.find(number)?;
        let key = self.key(sort);
        let rank = self
            .order(key)
            .rank(|other| self.rows.compare(key, other, slot));
        u64::try_from(rank.ok()?).ok()
    }

    /// The entity with that id.
    pub fn find_by_id(&self, id: &str) -> Option<Number> {
        self.number(self.slot_by_id(id)?)
    }

    /// The slot of the entity with that id.
    pub fn slot_by_id(&self, id: &str) -> Option<Slot> {
        self.find(Key::Id, |rows, slot| rows.ids.text(slot).cmp(id))
    }

    /// The entity with that name.
    pub fn find_by_name(&self, name: &str) -> Option<Number> {
        self.number(self.find(Key::Name, |rows, slot| rows.names.text(slot).cmp(name))?)
    }

    /// What lives under `owner`, by id: at most `limit` after the first `offset`.
    pub fn owned_by(&self, owner: Owner, offset: u64, limit: usize) -> Vec<Number> {
        let (start, end) = self.owned_ranks(owner);
        let from = usize::try_from(offset).map_or(end, |offset| start.saturating_add(offset));
        self.by_owner
            .iter_from(from)
            .take(end.saturating_sub(from).min(limit))
            .map(|slot| self.rows.slots.raw(slot))
            .collect()
    }

    /// Number of entities that live under `owner`.
    pub fn owned_count(&self, owner: Owner) -> usize {
        let (start, end) = self.owned_ranks(owner);
        end - start
    }

    /// The slots of what lives under `owner`.
    pub(crate) fn owned_slots(&self, owner: Owner) -> impl Iterator<Item = Slot> {
        let (start, end) = self.owned_ranks(owner);
        self.by_owner.iter_from(start).take(end - start)
    }

    /// The slots in use.
    pub const fn live(&self) -> &RoaringBitmap {
        self.rows.slots.live()
    }

    /// The columns of this kind alone.
    pub const fn columns(&self) -> &E::Columns {
        &self.columns
    }

    /// The slot of the entity whose record has that number.
    pub fn slot(&self, number: Number) -> Option<Slot> {
        self.rows.slots.find(number)
    }

    /// The record of the entity in a slot.
    pub fn number(&self, slot: Slot) -> Option<Number> {
        self.rows.slots.number(slot)
    }

    /// The id of the entity in a slot.
    pub fn id(&self, slot: Slot) -> Option<&str> {
        self.rows.ids.get(slot)
    }

    /// The name of the entity in a slot.
    pub fn name(&self, slot: Slot) -> Option<&str> {
        self.rows.names.get(slot)
    }

    /// The record under which the entity in a slot lives.
    pub fn owner(&self, slot: Slot) -> Option<Owner> {
        self.rows.owner(slot)
    }

    /// When the entity in a slot was created, in milliseconds since 1970.
    pub fn created_at(&self, slot: Slot) -> Option<i64> {
        self.number(slot).map(|_| self.rows.created_at(slot))
    }

    /// When the entity in a slot last changed, in milliseconds since 1970.
    pub fn updated_at(&self, slot: Slot) -> Option<i64> {
        self.number(slot).map(|_| self.rows.updated_at(slot))
    }

    /// Memory behind the catalog, in bytes, by its own count.
    pub fn heap_bytes(&self) -> usize {
        let orders: usize = Key::ALL
            .iter()
            .map(|key| self.order(*key).heap_bytes())
            .sum();
        self.rows.heap_bytes() + self.columns.heap_bytes() + orders
    }

    /// The key that stands for `sort` here; the id, where nothing has a name.
    const fn key(&self, sort: SortKey) -> Key {
        match sort {
            SortKey::Name if self.by_name.len() == 0 => Key::Id,
            SortKey::Name => Key::Name,
            SortKey::Id => Key::Id,
            SortKey::CreatedAt => Key::CreatedAt,
        }
    }

    fn find(&self, key: Key, compare: impl Fn(&Rows, Slot) -> Ordering) -> Option<Slot> {
        let order = self.order(key);
        let rank = order.rank(|slot| compare(&self.rows, slot)).ok()?;
        order.select(rank)
    }

    /// The first rank of what lives under `owner`, and the one after the last.
    fn owned_ranks(&self, owner: Owner) -> (usize, usize) {
        let start = self
            .by_owner
            .partition_point(|slot| self.rows.owner(slot) < Some(owner));
        let end = self
            .by_owner
            .partition_point(|slot| self.rows.owner(slot) <= Some(owner));
        (start, end)
    }

    /// Whether `name` is a symbol here: every entity has one. Of nothing, anything is true.
    pub(crate) const fn has_names(&self) -> bool {
        self.by_name.len() == self.by_id.len()
    }

    pub(crate) fn columns_held(&self, symbol: &str) -> Option<Held<'_>> {
        self.columns.held(symbol)
    }

    pub(crate) const fn order(&self, key: Key) -> &Order {
        match key {
            Key::Id => &self.by_id,
            Key::Name => &self.by_name,
            Key::CreatedAt => &self.by_created_at,
            Key::Owner => &self.by_owner,
        }
    }

    const fn order_mut(&mut self, key: Key) -> (&mut Order, &Rows) {
        let order = match key {
            Key::Id => &mut self.by_id,
            Key::Name => &mut self.by_name,
            Key::CreatedAt => &mut self.by_created_at,
            Key::Owner => &mut self.by_owner,
        };
        (order, &self.rows)
    }

    /// Takes a slot out of the orders by `keys`, while its columns still are what they were.
    fn unlink(&mut self, slot: Slot, keys: &[Key]) {
        for key in keys {
            let (order, rows) = self.order_mut(*key);
            order.remove(|other| rows.compare(*key, other, slot));
        }
    }

    fn link(&mut self, slot: Slot, keys: &[Key]) {
        for key in keys {
            let (order, rows) = self.order_mut(*key);
            if rows.has(*key, slot) {
                order.insert(slot, |other| rows.compare(*key, other, slot));
            }
        }
    }
}
