//! Cache of values decoded from the rows of one view.

use crate::sync::lock;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex};

const MAX_ENTRIES: usize = 16 * 1024;
/// Maximum size of the source rows, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Maximum size of the source rows of one entry, in bytes.
const MAX_ENTRY_BYTES: usize = 8 * 1024;

/// Values by the key of their source row and by type.
///
/// The cache belongs to one view of the store, whose rows never change, so no entry can be stale.
/// When it is full, it is emptied. Sizes are those of the source rows; the values may take many
/// times as much memory.
#[derive(Default)]
pub struct SnapshotCache(Mutex<CacheEntries>);

/// The values of one type.
type TypedEntries = HashMap<Box<[u8]>, Arc<dyn Any + Send + Sync>>;

#[derive(Default)]
struct CacheEntries {
    values: HashMap<TypeId, TypedEntries>,
    count: usize,
    bytes: usize,
}

impl SnapshotCache {
    /// The cached value of type `T` for the row under `key`.
    pub fn find<T: Any + Send + Sync>(&self, key: &[u8]) -> Option<Arc<T>> {
        let value = Arc::clone(lock(&self.0).values.get(&TypeId::of::<T>())?.get(key)?);
        value.downcast().ok()
    }

    /// Caches a value decoded from the row under `key` and related rows, `bytes` bytes in all.
    /// Large values are not cached, and existing entries are kept.
    pub fn insert<T: Any + Send + Sync>(&self, key: &[u8], value: Arc<T>, bytes: usize) {
        if bytes > MAX_ENTRY_BYTES {
            return;
        }
        let evicted = lock(&self.0).insert(TypeId::of::<T>(), key, value, bytes);
        // Dropped outside the lock: there may be thousands of entries.
        drop(evicted);
    }
}

impl CacheEntries {
    /// Returns the evicted entries.
    fn insert(
        &mut self,
        type_id: TypeId,
        key: &[u8],
        value: Arc<dyn Any + Send + Sync>,
        bytes: usize,
    ) -> Option<Self> {
        let is_there = |values: &TypedEntries| values.contains_key(key);
        if self.values.get(&type_id).is_some_and(is_there) {
            return None;
        }
        let is_full = self.count >= MAX_ENTRIES || self.bytes + bytes > MAX_BYTES;
        let evicted = is_full.then(|| mem::take(self));
        self.values
            .entry(type_id)
            .or_default()
            .insert(key.into(), value);
        self.count += 1;
        self.bytes += bytes;
        evicted
    }
}

impl std::fmt::Debug for SnapshotCache {
    /// Omits the values, which may be secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SnapshotCache")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_found_under_its_key_and_type() {
        let readings = SnapshotCache::default();
        readings.insert(b"a", Arc::new(1_u8), 10);
        assert_eq!(readings.find::<u8>(b"a").as_deref(), Some(&1));
        assert!(readings.find::<u16>(b"a").is_none());
        assert!(readings.find::<u8>(b"b").is_none());
        readings.insert(b"a", Arc::new(2_u16), 10);
        assert_eq!(readings.find::<u8>(b"a").as_deref(), Some(&1));
        assert_eq!(readings.find::<u16>(b"a").as_deref(), Some(&2));
    }

    #[test]
    fn number_and_size_are_bounded() {
        let readings = SnapshotCache::default();
        for number in 0..3 * MAX_ENTRIES {
            readings.insert(&number.to_be_bytes(), Arc::new(number), 1);
            assert!(lock(&readings.0).count <= MAX_ENTRIES);
        }
        let last = 3 * MAX_ENTRIES - 1;
        assert_eq!(
            readings.find::<usize>(&last.to_be_bytes()).as_deref(),
            Some(&last)
        );
        for number in 0..2000_usize {
            readings.insert(&number.to_be_bytes(), Arc::new(number), MAX_ENTRY_BYTES);
            assert!(lock(&readings.0).bytes <= MAX_BYTES);
        }
        readings.insert(b"long", Arc::new(()), MAX_ENTRY_BYTES + 1);
        assert!(readings.find::<()>(b"long").is_none());
    }

    #[test]
    fn what_is_there_already_costs_nothing() {
        let readings = SnapshotCache::default();
        readings.insert(b"first", Arc::new(0), 0);
        for _ in 0..2 * MAX_ENTRIES {
            readings.insert(b"again", Arc::new(1), MAX_ENTRY_BYTES);
        }
        assert!(readings.find::<i32>(b"first").is_some());
    }
}
