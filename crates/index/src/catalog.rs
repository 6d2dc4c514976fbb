//! Catalogs: column stores for listing, sorting and searching entities of a kind.

mod base_columns;
mod builder;
mod walk;

pub(crate) use base_columns::{BaseColumns, OrderKey, timestamp_from_millis};
pub use builder::CatalogBuilder;
pub use walk::{Direction, SortKey, Walk};

use crate::column::ColumnRef;
use crate::order::Order;
use crate::slots::Slot;
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use roaring::RoaringBitmap;
use std::cmp::Ordering;

/// A kind of entity that a [`Catalog`] can contain.
pub trait CatalogEntry {
    /// The columns of this kind besides id, name, times and owner.
    type Columns: CatalogColumns<Self>;

    fn id(&self) -> &str;

    /// Either every entity of a kind has a name, or none.
    fn name(&self) -> Option<&str>;

    fn created_at(&self) -> Timestamp;

    fn updated_at(&self) -> Timestamp;
}

/// The columns that are specific to a kind of entity.
pub trait CatalogColumns<E: ?Sized>: Default {
    /// Writes the values of `entity`, which may be in the slot already.
    fn set(&mut self, slot: Slot, entity: &E);

    /// The column of a symbol other than `id`, `name`, `createdAt` and `updatedAt`. With `None`,
    /// the record has to be read; for `isSystem`, it means `false` for all.
    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>>;

    /// Clears the slot.
    fn clear(&mut self, slot: Slot);

    /// Heap memory in bytes, estimated.
    fn heap_bytes(&self) -> usize;
}

/// The entities of a kind in columns and in several orders at once.
///
/// A change takes logarithmic time, and so does the start of a page at any offset.
#[derive(Debug)]
pub struct Catalog<E: CatalogEntry> {
    pub(crate) base: BaseColumns,
    columns: E::Columns,
    by_id: Order,
    /// Empty for kinds without names.
    by_name: Order,
    by_created_at: Order,
    /// Only entities that have an owner.
    by_owner: Order,
}

impl<E: CatalogEntry> Default for Catalog<E> {
    fn default() -> Self {
        Self {
            base: BaseColumns::default(),
            columns: E::Columns::default(),
            by_id: Order::default(),
            by_name: Order::default(),
            by_created_at: Order::default(),
            by_owner: Order::default(),
        }
    }
}

impl<E: CatalogEntry> Catalog<E> {
    /// Inserts or updates the entity with a record number.
    ///
    /// `owner` is the record that it belongs to, if it is not a root itself.
    pub fn put(&mut self, number: RecordNumber, owner: Option<Owner>, entity: &E) {
        let found = self.base.slots.find(number);
        let moved = found.map_or(OrderKey::ALL.to_vec(), |slot| {
            self.base.changed_keys(slot, owner, entity)
        });
        if let Some(slot) = found {
            self.unlink(slot, &moved);
        }
        let slot = found.unwrap_or_else(|| self.base.slots.assign(number));
        self.base.set(slot, owner, entity);
        self.columns.set(slot, entity);
        self.link(slot, &moved);
    }

    /// Removes the entity with a record number. Returns whether it existed.
    pub fn remove(&mut self, number: RecordNumber) -> bool {
        let Some(slot) = self.base.slots.find(number) else {
            return false;
        };
        self.unlink(slot, &OrderKey::ALL);
        self.columns.clear(slot);
        self.base.clear(slot);
        self.base.slots.release(number).is_some()
    }

    /// Removes all entities that belong to `owner`.
    pub fn remove_owned_by(&mut self, owner: Owner) {
        for number in self.owned_by(owner, 0, usize::MAX) {
            self.remove(number);
        }
    }

    pub fn len(&self) -> usize {
        self.base.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the entity with a record number exists.
    pub fn contains(&self, number: RecordNumber) -> bool {
        self.base.slots.find(number).is_some()
    }

    /// The record numbers of a page: at most `limit`, after the first `offset` of the order.
    ///
    /// The cost does not depend on the offset.
    pub fn page(
        &self,
        sort: SortKey,
        direction: Direction,
        offset: u64,
        limit: usize,
    ) -> Vec<RecordNumber> {
        self.walk(sort, direction, offset)
            .take(limit)
            .map(|slot| self.base.slots.number_or_stale(slot))
            .collect()
    }

    /// The slots of an order from the given offset on.
    pub fn walk(&self, sort: SortKey, direction: Direction, offset: u64) -> Walk<'_> {
        let direction = match sort {
            // Without names the tie-break by id decides, which is always ascending.
            SortKey::Name if self.by_name.len() == 0 => Direction::Ascending,
            _ => direction,
        };
        let key = self.order_key(sort);
        Walk::new(&self.base, self.order(key), key, direction, offset)
    }

    /// Number of entities before the one with that number, in ascending order.
    pub fn rank(&self, sort: SortKey, number: RecordNumber) -> Option<u64> {
        let slot = self.base.slots.find(number)?;
        let key = self.order_key(sort);
        let rank = self
            .order(key)
            .rank(|other| self.base.compare(key, other, slot));
        u64::try_from(rank.ok()?).ok()
    }

    pub fn find_by_id(&self, id: &str) -> Option<RecordNumber> {
        self.number(self.slot_by_id(id)?)
    }

    pub fn slot_by_id(&self, id: &str) -> Option<Slot> {
        self.find(OrderKey::Id, |rows, slot| {
            rows.ids.text_or_empty(slot).cmp(id)
        })
    }

    pub fn find_by_name(&self, name: &str) -> Option<RecordNumber> {
        self.number(self.find(OrderKey::Name, |rows, slot| {
            rows.names.text_or_empty(slot).cmp(name)
        })?)
    }

    /// The entities of `owner` by id: at most `limit` after the first `offset`.
    pub fn owned_by(&self, owner: Owner, offset: u64, limit: usize) -> Vec<RecordNumber> {
        let (start, end) = self.owner_ranks(owner);
        let from = usize::try_from(offset).map_or(end, |offset| start.saturating_add(offset));
        self.by_owner
            .iter_from(from)
            .take(end.saturating_sub(from).min(limit))
            .map(|slot| self.base.slots.number_or_stale(slot))
            .collect()
    }

    pub fn owned_count(&self, owner: Owner) -> usize {
        let (start, end) = self.owner_ranks(owner);
        end - start
    }

    pub(crate) fn owned_slots(&self, owner: Owner) -> impl Iterator<Item = Slot> {
        let (start, end) = self.owner_ranks(owner);
        self.by_owner.iter_from(start).take(end - start)
    }

    pub const fn live(&self) -> &RoaringBitmap {
        self.base.slots.live()
    }

    /// The columns that are specific to this kind.
    pub const fn columns(&self) -> &E::Columns {
        &self.columns
    }

    /// The slot of the entity with a record number.
    pub fn slot(&self, number: RecordNumber) -> Option<Slot> {
        self.base.slots.find(number)
    }

    /// The record number of the entity in a slot.
    pub fn number(&self, slot: Slot) -> Option<RecordNumber> {
        self.base.slots.number(slot)
    }

    pub fn id(&self, slot: Slot) -> Option<&str> {
        self.base.ids.get(slot)
    }

    pub fn name(&self, slot: Slot) -> Option<&str> {
        self.base.names.get(slot)
    }

    /// The record that the entity in a slot belongs to.
    pub fn owner(&self, slot: Slot) -> Option<Owner> {
        self.base.owner(slot)
    }

    /// Creation time of the entity in a slot, in milliseconds since 1970.
    pub fn created_at(&self, slot: Slot) -> Option<i64> {
        self.number(slot).map(|_| self.base.created_at(slot))
    }

    /// Modification time of the entity in a slot, in milliseconds since 1970.
    pub fn updated_at(&self, slot: Slot) -> Option<i64> {
        self.number(slot).map(|_| self.base.updated_at(slot))
    }

    /// Heap memory in bytes, estimated.
    pub fn heap_bytes(&self) -> usize {
        let orders: usize = OrderKey::ALL
            .iter()
            .map(|key| self.order(*key).heap_bytes())
            .sum();
        self.base.heap_bytes() + self.columns.heap_bytes() + orders
    }

    /// The order key for `sort`; the id if the kind has no names.
    const fn order_key(&self, sort: SortKey) -> OrderKey {
        match sort {
            SortKey::Name if self.by_name.len() == 0 => OrderKey::Id,
            SortKey::Name => OrderKey::Name,
            SortKey::Id => OrderKey::Id,
            SortKey::CreatedAt => OrderKey::CreatedAt,
        }
    }

    fn find(
        &self,
        key: OrderKey,
        compare: impl Fn(&BaseColumns, Slot) -> Ordering,
    ) -> Option<Slot> {
        let order = self.order(key);
        let rank = order.rank(|slot| compare(&self.base, slot)).ok()?;
        order.select(rank)
    }

    /// The first rank of the entities of `owner`, and the one after the last.
    fn owner_ranks(&self, owner: Owner) -> (usize, usize) {
        let start = self
            .by_owner
            .partition_point(|slot| self.base.owner(slot) < Some(owner));
        let end = self
            .by_owner
            .partition_point(|slot| self.base.owner(slot) <= Some(owner));
        (start, end)
    }

    /// Whether every entity has a name; also true for an empty catalog.
    pub(crate) const fn has_names(&self) -> bool {
        self.by_name.len() == self.by_id.len()
    }

    pub(crate) fn kind_column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        self.columns.column(symbol)
    }

    pub(crate) const fn order(&self, key: OrderKey) -> &Order {
        match key {
            OrderKey::Id => &self.by_id,
            OrderKey::Name => &self.by_name,
            OrderKey::CreatedAt => &self.by_created_at,
            OrderKey::Owner => &self.by_owner,
        }
    }

    const fn order_mut(&mut self, key: OrderKey) -> (&mut Order, &BaseColumns) {
        let order = match key {
            OrderKey::Id => &mut self.by_id,
            OrderKey::Name => &mut self.by_name,
            OrderKey::CreatedAt => &mut self.by_created_at,
            OrderKey::Owner => &mut self.by_owner,
        };
        (order, &self.base)
    }

    /// Removes a slot from the orders by `keys`, before its columns change.
    fn unlink(&mut self, slot: Slot, keys: &[OrderKey]) {
        for key in keys {
            let (order, rows) = self.order_mut(*key);
            order.remove(|other| rows.compare(*key, other, slot));
        }
    }

    fn link(&mut self, slot: Slot, keys: &[OrderKey]) {
        for key in keys {
            let (order, rows) = self.order_mut(*key);
            if rows.is_in_order(*key, slot) {
                order.insert(slot, |other| rows.compare(*key, other, slot));
            }
        }
    }
}
